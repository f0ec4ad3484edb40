// A scroll bar that stays where there is more than fits.
import QtQuick
import QtQuick.Templates as T
import Belljar

T.ScrollBar {
    id: bar
    implicitWidth: Theme.scrollBar
    implicitHeight: Theme.scrollBar
    padding: Theme.selectionBar
    minimumSize: 0.06
    visible: size < 1
    contentItem: Rectangle {
        radius: width / 2
        color: bar.pressed || bar.hovered ? Theme.edge : Theme.outline
    }
}
