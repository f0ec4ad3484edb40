// The ring around a control that has the keyboard's focus: 2 px, 1 px off the control. Put it into the control, or its background.
import QtQuick
import Belljar

Rectangle {
    id: ring
    required property bool shown
    property bool inside: false // for rows, which have no room around them

    anchors.fill: parent
    anchors.margins: inside ? Theme.focusGap : -(Theme.focusWidth + Theme.focusGap)
    visible: shown
    color: "transparent"
    radius: inside ? 0 : Theme.radius + Theme.focusWidth
    border.width: Theme.focusWidth
    border.color: Theme.accent
}
