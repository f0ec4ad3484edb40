// A dialog over the window: head with title and a cross, content, foot with buttons at the right. Escape closes; the focus goes into
// it and back.
import QtQuick
import QtQuick.Templates as T
import Belljar

T.Dialog {
    id: dialog
    property alias buttons: buttons.data
    property string note: "" // in the foot, at the left

    parent: T.Overlay.overlay
    anchors.centerIn: parent
    modal: true
    focus: true
    padding: Theme.gap5
    width: Math.min(Theme.dialogWidth, (parent ? parent.width : Theme.dialogWidth) - Theme.gap6)
    height: Math.min(implicitHeight, (parent ? parent.height : implicitHeight) - Theme.gap6)
    implicitHeight: Math.max(implicitContentHeight + topPadding + bottomPadding, 0) + implicitHeaderHeight + implicitFooterHeight
    closePolicy: T.Popup.CloseOnEscape

    T.Overlay.modal: Rectangle { color: Theme.dim }
    enter: Transition { NumberAnimation { property: "opacity"; from: 0; to: 1; duration: Theme.fade } }
    exit: Transition { NumberAnimation { property: "opacity"; from: 1; to: 0; duration: Theme.fade } }
    background: Rectangle {
        color: Theme.bg1
        radius: Theme.dialogRadius
        border.color: Theme.outline
    }
    header: Item {
        implicitHeight: Theme.headHeight
        Txt {
            anchors { left: parent.left; leftMargin: Theme.gap5; right: cross.left; verticalCenter: parent.verticalCenter }
            text: dialog.title
            font: Theme.title
        }
        IconBtn {
            id: cross
            anchors { right: parent.right; rightMargin: Theme.gap3; verticalCenter: parent.verticalCenter }
            glyph: "close"
            text: qsTr("Close")
            keys: qsTr("Esc")
            onClicked: dialog.reject()
        }
        Rectangle { anchors { left: parent.left; right: parent.right; bottom: parent.bottom } height: Theme.hairline; color: Theme.line }
    }
    footer: Item {
        implicitHeight: visible ? Theme.headHeight + Theme.gap2 : 0
        visible: buttons.children.length > 0
        Rectangle { width: parent.width; height: Theme.hairline; color: Theme.line }
        Txt {
            anchors { left: parent.left; leftMargin: Theme.gap5; right: buttons.left; rightMargin: Theme.gap3; verticalCenter: parent.verticalCenter }
            text: dialog.note
            font: Theme.note
            color: Theme.fg1
        }
        Row {
            id: buttons
            anchors { right: parent.right; rightMargin: Theme.gap5; verticalCenter: parent.verticalCenter }
            spacing: Theme.gap2
        }
    }
}
