// A button with a word: primary (one a surface), normal, ghost or danger. It grows with its text. `keys` shows the shortcut.
import QtQuick
import QtQuick.Templates as T
import Belljar

T.Button {
    id: btn
    property string kind: "normal" // or "primary", "ghost", "danger"
    property string glyph: ""
    property string keys: ""
    property string why: "" // it is disabled, in words

    readonly property bool filled: kind === "primary"
    readonly property color tint: filled ? Theme.inkAccent : kind === "danger" ? Theme.fail : kind === "ghost" ? Theme.fg1 : Theme.fg0

    font: Theme.name
    implicitHeight: Theme.control
    implicitWidth: implicitContentWidth + Theme.gap3 * 2
    horizontalPadding: Math.max(Theme.gap3, (width - implicitContentWidth) / 2)
    spacing: Theme.gap2
    opacity: enabled ? 1 : Theme.disabled
    focusPolicy: Qt.StrongFocus
    Accessible.role: Accessible.Button
    Accessible.name: text
    Accessible.description: why === "" ? keys : why
    Keys.onReturnPressed: btn.clicked()
    Keys.onEnterPressed: btn.clicked()

    contentItem: Row {
        spacing: btn.spacing
        Glyph {
            name: btn.glyph
            tint: btn.tint
            size: Theme.glyphSmall
            visible: btn.glyph !== ""
            anchors.verticalCenter: parent.verticalCenter
        }
        Txt {
            text: btn.text
            font: btn.font
            color: btn.tint
            anchors.verticalCenter: parent.verticalCenter
            Accessible.ignored: true
        }
        Txt {
            text: btn.keys
            font: Theme.small
            color: btn.filled ? Theme.inkAccent : Theme.fg2
            visible: btn.keys !== ""
            anchors.verticalCenter: parent.verticalCenter
            Accessible.ignored: true
        }
    }
    background: Rectangle {
        radius: Theme.radius
        color: btn.filled ? (btn.down ? Theme.accentPressed : Theme.accentFill)
             : btn.down || btn.hovered ? Theme.bg3
             : btn.kind === "ghost" ? "transparent" : Theme.bg2
        border.width: btn.filled || btn.kind === "ghost" ? 0 : Theme.hairline
        border.color: Theme.outline
        FocusRing { shown: btn.visualFocus }
    }
}
