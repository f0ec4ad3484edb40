// The heads over the list of sessions. Over the traces stand the times of their common axis.
pragma ComponentBehavior: Bound
import QtQuick
import Belljar

Rectangle {
    id: head
    required property SessionColumns columns
    property var times: [] // words, evenly spaced, oldest first: ["13:32", …, "now"]

    implicitHeight: Theme.columnHeadHeight
    color: Theme.bg0

    component Head: Txt {
        height: head.height
        font: Theme.columnHead
        color: Theme.fg2
        horizontalAlignment: Text.AlignRight
        Accessible.role: Accessible.ColumnHeader
        Accessible.name: text
    }
    Head {
        x: head.columns.text
        width: head.columns.session
        horizontalAlignment: Text.AlignLeft
        text: qsTr("Session")
    }
    Item {
        id: axis
        x: head.columns.text + head.columns.session
        width: head.columns.trace
        height: parent.height
        visible: head.columns.traced
        Repeater {
            model: head.times
            delegate: Txt {
                required property int index
                required property string modelData
                readonly property real share: head.times.length < 2 ? 1 : index / (head.times.length - 1)
                x: share * (axis.width - implicitWidth)
                height: axis.height
                text: modelData
                font: Theme.small
                color: Theme.fg2
            }
        }
    }
    Row {
        anchors { right: parent.right; rightMargin: Theme.pageMargin }
        Head { width: head.columns.allowed; text: qsTr("Allowed") }
        Head { width: head.columns.denied; text: qsTr("Denied") }
        Head { width: head.columns.calls; text: qsTr("Calls denied") }
        Head { width: head.columns.bytes; text: qsTr("Bytes") }
        Head { width: head.columns.age; text: qsTr("Age") }
    }
    Rectangle { anchors { left: parent.left; right: parent.right; bottom: parent.bottom } height: Theme.hairline; color: Theme.line }
}
