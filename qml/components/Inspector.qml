// The pane at the right that follows the selection, never the pointer. Without one it says what to choose.
import QtQuick
import QtQuick.Templates as T
import Belljar

Rectangle {
    id: inspector
    required property string label
    property bool filled: true
    property string prompt: ""
    default property alias content: column.data

    implicitWidth: Theme.inspectorLeast
    color: Theme.bg1
    Accessible.role: Accessible.Pane
    Accessible.name: label

    Flickable {
        id: view
        anchors { fill: parent; leftMargin: Theme.hairline }
        visible: inspector.filled
        clip: true
        contentHeight: column.implicitHeight + Theme.gap4 * 2
        boundsBehavior: Flickable.StopAtBounds
        T.ScrollBar.vertical: Scroll {}
        Column {
            id: column
            x: Theme.gap4
            y: Theme.gap4
            width: view.width - Theme.gap4 * 2
            spacing: Theme.gap1
        }
    }
    EmptyState {
        anchors.centerIn: parent
        width: parent.width
        visible: !inspector.filled
        title: inspector.prompt
    }
    Rectangle { width: Theme.hairline; height: parent.height; color: Theme.line }
}
