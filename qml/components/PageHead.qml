// A page's head: its title, a fact about it, and at the right what one does there.
import QtQuick
import Belljar

Rectangle {
    id: head
    required property string title
    property string fact: ""
    property string word: "" // a state, before the title
    default property alias tools: tools.data

    implicitHeight: Theme.headHeight
    color: Theme.bg0

    StateMark {
        id: mark
        x: Theme.pageMargin
        anchors.verticalCenter: parent.verticalCenter
        word: head.word
        visible: head.word !== ""
    }
    Txt {
        id: title
        x: Theme.pageMargin + (mark.visible ? mark.width + Theme.gap2 : 0)
        anchors.verticalCenter: parent.verticalCenter
        width: Math.max(0, Math.min(implicitWidth, tools.x - x - Theme.gap4))
        text: head.title
        font: Theme.title
        Accessible.role: Accessible.Heading
        Accessible.name: text
    }
    Txt {
        anchors { left: title.right; leftMargin: Theme.gap3; right: tools.left; rightMargin: Theme.gap3; baseline: title.baseline }
        text: head.fact
        color: Theme.fg2
    }
    Row {
        id: tools
        anchors { right: parent.right; rightMargin: Theme.pageMargin; verticalCenter: parent.verticalCenter }
        spacing: Theme.gap2
    }
    Rectangle { anchors { left: parent.left; right: parent.right; bottom: parent.bottom } height: Theme.hairline; color: Theme.line }
}
