// A key, as it is written on it.
import QtQuick
import Belljar

Rectangle {
    id: kbd
    required property string text
    implicitWidth: word.implicitWidth + Theme.gap1 * 2 + Theme.selectionBar
    implicitHeight: word.implicitHeight + Theme.gap1
    radius: Theme.radius
    color: "transparent"
    border.color: Theme.outline
    Accessible.role: Accessible.StaticText
    Accessible.name: text
    Txt {
        id: word
        anchors.centerIn: parent
        text: kbd.text
        font: Theme.small
        color: Theme.fg2
        Accessible.ignored: true
    }
}
