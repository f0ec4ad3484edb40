// A verdict, proof or layer state with its word. `text` may say more than the word: "Denied 2 ×", "Broken at event 318".
import QtQuick
import Belljar

Row {
    id: verdict
    required property string word
    property string text: signs.text
    property bool small: true

    spacing: Theme.gap2
    Accessible.role: Accessible.StaticText
    Accessible.name: text

    Vocabulary { id: signs; word: verdict.word }
    Glyph {
        name: signs.glyph
        tint: signs.tint
        ink: signs.ink
        rim: signs.rim
        size: Theme.glyphSmall
        anchors.verticalCenter: parent.verticalCenter
    }
    Txt {
        text: verdict.text
        font: signs.solid ? (verdict.small ? Theme.noteStrong : Theme.strong) : verdict.small ? Theme.note : Theme.body
        color: signs.textColor
        width: verdict.width > 0 ? Math.min(implicitWidth, verdict.width - x) : implicitWidth
        anchors.verticalCenter: parent.verticalCenter
        Accessible.ignored: true
    }
}
