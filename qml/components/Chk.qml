// Yes or no, with its word.
import QtQuick
import QtQuick.Templates as T
import Belljar

T.CheckBox {
    id: chk
    font: Theme.body
    spacing: Theme.gap2
    implicitHeight: Math.max(Theme.controlSmall, contentItem.implicitHeight)
    implicitWidth: contentItem.implicitWidth
    opacity: enabled ? 1 : Theme.disabled
    focusPolicy: Qt.StrongFocus
    Accessible.role: Accessible.CheckBox
    Accessible.name: text
    Accessible.checked: checked

    indicator: Rectangle {
        width: Theme.glyph
        height: Theme.glyph
        y: (chk.height - height) / 2
        radius: Theme.radius
        color: chk.checked ? Theme.accentFill : chk.hovered ? Theme.bg3 : Theme.bg2
        border.width: chk.checked ? 0 : Theme.hairline
        border.color: Theme.edge
        Glyph {
            anchors.centerIn: parent
            name: "check"
            size: Theme.gap3
            tint: Theme.inkAccent
            visible: chk.checked
        }
        FocusRing { shown: chk.visualFocus }
    }
    contentItem: Txt {
        leftPadding: Theme.glyph + chk.spacing
        text: chk.text
        font: chk.font
    }
}
