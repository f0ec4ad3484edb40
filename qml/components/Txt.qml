// A line of text. Plain, always: what the record holds is not ours to read as markup.
import QtQuick
import Belljar

Text {
    color: Theme.fg0
    font: Theme.body
    textFormat: Text.PlainText
    elide: Text.ElideRight
    lineHeight: wrapMode === Text.NoWrap ? 1 : 1.2
    verticalAlignment: Text.AlignVCenter
}
