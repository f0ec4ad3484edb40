// Where there is nothing: why, and what to do about it. One sentence, at most one button.
import QtQuick
import Belljar

Item {
    id: empty
    required property string title
    property string text: ""
    property string glyph: ""
    property string action: ""
    property string keys: ""
    property bool large: false // a page without anything; small: a pane
    signal acted

    implicitHeight: column.implicitHeight
    Accessible.role: Accessible.StaticText
    Accessible.name: text === "" ? title : title + ". " + text

    Column {
        id: column
        anchors.centerIn: parent
        width: Math.max(0, Math.min(Theme.textMost, empty.width - Theme.gap5 * 2))
        spacing: empty.large ? Theme.gap3 : Theme.gap2
        Glyph {
            anchors.horizontalCenter: parent.horizontalCenter
            name: empty.glyph
            size: empty.large ? Theme.glyphHero : Theme.gap5
            tint: Theme.fg2
            visible: empty.glyph !== ""
        }
        Txt {
            width: parent.width
            horizontalAlignment: Text.AlignHCenter
            text: empty.title
            font: empty.large ? Theme.hero : Theme.name
            wrapMode: Text.Wrap
            Accessible.ignored: true
        }
        Txt {
            width: parent.width
            horizontalAlignment: Text.AlignHCenter
            text: empty.text
            visible: text !== ""
            color: Theme.fg1
            font: empty.large ? Theme.body : Theme.note
            wrapMode: Text.Wrap
            Accessible.ignored: true
        }
        Item { width: parent.width; height: Theme.gap1; visible: button.visible }
        Btn {
            id: button
            anchors.horizontalCenter: parent.horizontalCenter
            kind: empty.large ? "primary" : "normal"
            text: empty.action
            keys: empty.keys
            visible: empty.action !== ""
            onClicked: empty.acted()
        }
    }
}
