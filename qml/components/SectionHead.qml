// The head of a part of a pane: what it is about, and a fact about it.
import QtQuick
import Belljar

Item {
    id: head
    required property string text
    property string fact: ""
    property bool ruled: false

    implicitHeight: Theme.control
    implicitWidth: title.implicitWidth + (fact === "" ? 0 : Theme.gap2 + note.implicitWidth)
    Accessible.role: Accessible.Heading
    Accessible.name: fact === "" ? text : text + ", " + fact

    Txt {
        id: title
        anchors.verticalCenter: parent.verticalCenter
        width: Math.min(implicitWidth, parent.width)
        text: head.text
        font: Theme.section
        Accessible.ignored: true
    }
    Txt {
        id: note
        anchors { left: title.right; leftMargin: Theme.gap2; right: parent.right; verticalCenter: parent.verticalCenter }
        text: head.fact
        font: Theme.note
        color: Theme.fg2
        Accessible.ignored: true
    }
    Rectangle {
        visible: head.ruled
        anchors { left: parent.left; right: parent.right; bottom: parent.bottom }
        height: Theme.hairline
        color: Theme.line
    }
}
