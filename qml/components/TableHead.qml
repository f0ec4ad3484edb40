// The heads of a table: a click sorts, the line at the right end of each can be dragged.
pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Templates as T
import Belljar

Rectangle {
    id: head
    required property var columns // TableColumns
    required property var widths // one for each column, 0 for one not shown
    property string sortKey: ""
    property bool descending: true
    signal sortAsked(string key, bool descending)
    signal widthAsked(int column, real width)

    implicitHeight: Theme.columnHeadHeight
    color: Theme.bg1

    Row {
        x: Theme.gap3
        height: parent.height
        Repeater {
            model: head.columns.length
            delegate: T.AbstractButton {
                id: cell
                required property int index
                readonly property TableColumn column: head.columns[index]
                readonly property bool sorts: column.sortable && head.sortKey === column.key

                width: head.widths[index]
                height: head.height
                visible: width > 0
                enabled: column.sortable
                focusPolicy: column.sortable ? Qt.TabFocus : Qt.NoFocus
                Accessible.role: Accessible.ColumnHeader
                Accessible.name: column.title
                Accessible.description: !sorts ? "" : head.descending ? qsTr("sorted, largest first") : qsTr("sorted, smallest first")
                onClicked: head.sortAsked(column.key, sorts ? !head.descending : true)
                Keys.onReturnPressed: cell.clicked()

                Item {
                    anchors.fill: parent
                    Row {
                        anchors.verticalCenter: parent.verticalCenter
                        x: cell.column.right ? parent.width - width - Theme.gap2 : 0
                        spacing: Theme.gap1
                        Txt {
                            id: title
                            width: Math.min(implicitWidth, cell.width - Theme.gap2 - (cell.sorts ? Theme.gap4 : 0))
                            text: cell.column.title
                            font: Theme.columnHead
                            color: cell.sorts || cell.hovered ? Theme.fg0 : Theme.fg2
                            Accessible.ignored: true
                            HoverHandler { id: hover }
                            Tip { text: cell.column.title; visible: hover.hovered && title.truncated }
                        }
                        Glyph {
                            name: head.descending ? "down" : "up"
                            size: Theme.gap3
                            visible: cell.sorts
                            anchors.verticalCenter: parent.verticalCenter
                        }
                    }
                    Item {
                        anchors { right: parent.right; top: parent.top; bottom: parent.bottom }
                        width: Theme.gap2
                        HoverHandler { id: handle; cursorShape: Qt.SplitHCursor }
                        DragHandler {
                            target: null
                            yAxis.enabled: false
                            property real from: 0
                            onActiveChanged: if (active) from = cell.width
                            onActiveTranslationChanged: if (active) head.widthAsked(cell.index, from + activeTranslation.x)
                        }
                        Rectangle {
                            anchors.horizontalCenter: parent.horizontalCenter
                            width: Theme.hairline
                            height: parent.height
                            color: handle.hovered ? Theme.accent : "transparent"
                        }
                    }
                }
                background: Item {
                    FocusRing { shown: cell.visualFocus; inside: true }
                }
            }
        }
    }
    Rectangle { anchors { left: parent.left; right: parent.right; bottom: parent.bottom } height: Theme.hairline; color: Theme.line }
}
