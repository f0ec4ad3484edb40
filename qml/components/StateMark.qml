// A state's sign alone, where its word stands elsewhere or there is no room; the word is its accessible name.
import QtQuick
import Belljar

Glyph {
    id: mark
    required property string word
    name: signs.glyph
    tint: signs.tint
    ink: signs.ink
    rim: signs.rim
    Accessible.ignored: false
    Accessible.role: Accessible.Graphic
    Accessible.name: signs.text
    readonly property Vocabulary signs: Vocabulary { word: mark.word }
}
