// A row's menu: the same entries as its buttons, with their keys. Fill it with MenuEntry.
import QtQuick
import QtQuick.Templates as T
import Belljar

T.Menu {
    id: menu
    implicitWidth: Math.max(Theme.menuLeast, Math.min(Theme.menuMost, contentItem.childrenRect.width + leftPadding + rightPadding))
    implicitHeight: contentHeight + topPadding + bottomPadding
    padding: Theme.gap1
    margins: Theme.gap2
    contentItem: ListView {
        implicitHeight: contentHeight
        model: menu.contentModel
        currentIndex: menu.currentIndex
        interactive: false
    }
    background: Rectangle {
        implicitWidth: Theme.menuLeast
        color: Theme.bg2
        radius: Theme.radius
        border.color: Theme.outline
    }
}
