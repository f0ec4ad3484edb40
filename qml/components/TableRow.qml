// The frame of a table's row: selection, focus, hover, the line below. Cells are children of it, each as wide as its column. The
// press fixes the row's key, and what follows acts on that key, whatever has arrived before the release.
import QtQuick
import QtQuick.Templates as T
import Belljar

T.ItemDelegate {
    id: row
    required property string rowKey
    property bool chosen: false
    property string spoken: ""
    default property alias cells: line.data
    signal selected(string rowKey)
    signal opened(string rowKey)
    signal menuAsked(string rowKey)

    property string pressedKey: ""

    implicitHeight: Theme.rowHeight
    width: ListView.view ? ListView.view.width : implicitWidth
    focusPolicy: Qt.NoFocus // the list has the focus, and Up and Down in it
    Accessible.role: Accessible.Row
    Accessible.name: spoken
    Accessible.selected: chosen
    onPressed: {
        pressedKey = rowKey;
        selected(rowKey);
    }
    onDoubleClicked: opened(pressedKey)
    TapHandler {
        acceptedButtons: Qt.RightButton
        onPressedChanged: if (pressed) row.pressedKey = row.rowKey
        onTapped: {
            row.selected(row.pressedKey);
            row.menuAsked(row.pressedKey);
        }
    }
    Item {
        anchors.fill: parent
        Row {
            id: line
            x: Theme.gap3
            height: parent.height
        }
    }
    background: Rectangle {
        color: row.chosen ? Theme.sel : row.hovered ? Theme.bg1 : "transparent"
        Rectangle { width: Theme.selectionBar; height: parent.height; color: Theme.accent; visible: row.chosen }
        Rectangle {
            anchors { left: parent.left; right: parent.right; bottom: parent.bottom }
            height: Theme.hairline
            color: Theme.rowLine
            visible: !row.chosen
        }
        FocusRing { shown: row.chosen && row.ListView.view !== null && row.ListView.view.activeFocus; inside: true }
    }
}
