// One value of a list that can be taken out again, a host for example; or, without a cross, one to choose.
import QtQuick
import QtQuick.Templates as T
import Belljar

T.AbstractButton {
    id: chip
    property bool removable: false
    property bool chosen: false
    property string error: "" // why the value cannot stand
    signal removed

    font: Theme.mono
    implicitHeight: Theme.controlSmall
    implicitWidth: Math.min(Theme.chipMost, implicitContentWidth + leftPadding + rightPadding)
    leftPadding: Theme.gap2
    rightPadding: removable ? Theme.selectionBar : Theme.gap2
    opacity: enabled ? 1 : Theme.disabled
    focusPolicy: Qt.StrongFocus
    Accessible.role: Accessible.Button
    Accessible.name: text
    Accessible.description: error === "" ? (removable ? qsTr("Delete takes it out") : "") : error
    Accessible.checkable: !removable
    Accessible.checked: chosen
    Keys.onDeletePressed: if (removable) removed()
    Keys.onReturnPressed: chip.clicked()

    contentItem: Row {
        spacing: Theme.gap1 + Theme.selectionBar
        Glyph {
            name: "lost"
            tint: Theme.fail
            size: Theme.glyphSmall
            visible: chip.error !== ""
            anchors.verticalCenter: parent.verticalCenter
        }
        Txt {
            text: chip.text
            font: chip.font
            elide: Text.ElideLeft
            width: Math.min(implicitWidth, Theme.chipMost - Theme.control - Theme.gap5)
            color: chip.chosen ? Theme.fg0 : Theme.fg1
            anchors.verticalCenter: parent.verticalCenter
        }
        T.AbstractButton {
            width: Theme.controlSmall - Theme.gap1
            height: Theme.controlSmall - Theme.gap1
            visible: chip.removable
            focusPolicy: Qt.NoFocus // Delete on the chip does the same
            anchors.verticalCenter: parent.verticalCenter
            Accessible.role: Accessible.Button
            Accessible.name: qsTr("Take %1 out").arg(chip.text)
            onClicked: chip.removed()
            contentItem: Item {
                Glyph { anchors.centerIn: parent; name: "close"; size: Theme.gap3; tint: Theme.fg2 }
            }
        }
    }
    background: Rectangle {
        radius: Theme.radius
        color: chip.chosen ? Theme.sel : chip.hovered ? Theme.bg3 : Theme.bg2
        border.color: chip.error !== "" ? Theme.fail : chip.chosen ? Theme.accent : Theme.outline
        FocusRing { shown: chip.visualFocus }
    }
}
