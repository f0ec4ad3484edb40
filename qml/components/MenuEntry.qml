// One entry of a Menu.
import QtQuick
import QtQuick.Templates as T
import Belljar

T.MenuItem {
    id: entry
    property string keys: ""
    property bool danger: false

    implicitHeight: Theme.control
    implicitWidth: words.implicitWidth + Theme.gap5 + shortcut.implicitWidth + Theme.gap3 * 2
    width: ListView.view ? ListView.view.width : implicitWidth
    opacity: enabled ? 1 : Theme.disabled
    Accessible.role: Accessible.MenuItem
    Accessible.name: text
    Item {
        anchors.fill: parent
        Txt {
            id: words
            x: Theme.gap3
            anchors.verticalCenter: parent.verticalCenter
            text: entry.text
            color: entry.danger ? Theme.fail : Theme.fg0
            Accessible.ignored: true
        }
        Txt {
            id: shortcut
            anchors { right: parent.right; rightMargin: Theme.gap3; verticalCenter: parent.verticalCenter }
            text: entry.keys
            font: Theme.small
            color: Theme.fg2
            Accessible.ignored: true
        }
    }
    background: Rectangle {
        color: entry.highlighted ? Theme.bg3 : "transparent"
        radius: Theme.radius
    }
}
