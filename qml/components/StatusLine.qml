// The window's last line: at the left what is missing on this machine, at the right whether everything arrives.
import QtQuick
import Belljar

Rectangle {
    id: status
    required property string enforcement
    property string enforcementWord: "enforced" // its sign: enforced, weaker, not-enforced
    property string machine: ""
    property string arrival: ""
    property string storage: ""

    implicitHeight: Theme.statusHeight
    color: Theme.bg1
    Accessible.role: Accessible.StatusBar
    Accessible.name: enforcement + ". " + machine + ". " + arrival + ". " + storage

    Rectangle { width: parent.width; height: Theme.hairline; color: Theme.line }
    Row {
        id: left
        x: Theme.gap4
        height: parent.height
        spacing: Theme.gap2
        StateMark {
            word: status.enforcementWord
            size: Theme.gap3
            anchors.verticalCenter: parent.verticalCenter
        }
        Txt {
            text: status.enforcement
            width: Math.min(implicitWidth, Math.max(0, status.width - right.width - Theme.gap6 * 2))
            height: parent.height
            font: Theme.small
            color: Theme.fg1
        }
        Item { width: Theme.gap1; height: 1 }
        Txt {
            text: status.machine
            height: parent.height
            font: Theme.small
            color: Theme.fg2
            visible: x + implicitWidth + Theme.gap6 < right.x
        }
    }
    Row {
        id: right
        anchors { right: parent.right; rightMargin: Theme.gap4 }
        height: parent.height
        spacing: Theme.gap4
        Txt { text: status.arrival; height: parent.height; font: Theme.small; color: Theme.fg2 }
        Txt { text: status.storage; height: parent.height; font: Theme.small; color: Theme.fg2; visible: text !== "" }
    }
}
