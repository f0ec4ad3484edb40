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

    Loader {
        id: mark
        x: Theme.pageMargin
        active: head.word !== ""
        width: active ? Theme.glyph + Theme.gap2 : 0
        sourceComponent: Item { StateMark { word: head.word; anchors.verticalCenter: parent.verticalCenter } }
        height: parent.height
    }
    Txt {
        id: title
        anchors { left: mark.right; verticalCenter: parent.verticalCenter }
        width: Math.max(0, Math.min(implicitWidth, tools.x - mark.x - mark.width - Theme.gap4))
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
