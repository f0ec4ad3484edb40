// Two panes beside each other with a line that can be dragged, or moved with Left and Right. `place` is the first pane's width, to
// be kept by the page; each pane keeps at least `least`.
import QtQuick
import Belljar

Item {
    id: split
    required property string label // of the line, for those who hear the window
    property alias first: firstPane.data
    property alias second: secondPane.data
    property real place: width / 2
    property real least: Theme.inspectorLeast
    readonly property real at: Math.round(Math.max(Math.min(least, width / 2), Math.min(place, width - Math.min(least, width / 2))))
    signal moved(real place)

    function move(to: real): void {
        place = Math.max(least, Math.min(to, width - least));
        moved(place);
    }

    Item { id: firstPane; width: split.at; height: parent.height; clip: true }
    Item { id: secondPane; x: split.at + Theme.hairline; width: parent.width - x; height: parent.height; clip: true }
    Rectangle {
        id: bar
        x: split.at
        width: Theme.hairline
        height: parent.height
        color: activeFocus || drag.active || hover.hovered ? Theme.accent : Theme.line
        activeFocusOnTab: true
        Accessible.role: Accessible.Splitter
        Accessible.name: split.label
        Keys.onLeftPressed: split.move(split.at - Theme.gap4)
        Keys.onRightPressed: split.move(split.at + Theme.gap4)
        Item { // wider than the line, to be hit
            anchors { top: parent.top; bottom: parent.bottom; horizontalCenter: parent.horizontalCenter }
            width: Theme.gap2
            HoverHandler { id: hover; cursorShape: Qt.SplitHCursor }
            DragHandler {
                id: drag
                target: null
                yAxis.enabled: false
                property real from: 0
                onActiveChanged: if (active) from = split.at
                onActiveTranslationChanged: if (active) split.move(from + activeTranslation.x)
            }
        }
    }
}
