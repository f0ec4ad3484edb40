// A button with a sign only. Its word is its accessible name and its tooltip, so it is required.
import QtQuick
import QtQuick.Templates as T
import Belljar

T.Button {
    id: btn
    required property string glyph
    required text
    property string keys: ""

    implicitWidth: Theme.control
    implicitHeight: Theme.control
    opacity: enabled ? 1 : Theme.disabled
    focusPolicy: Qt.StrongFocus
    Accessible.role: Accessible.Button
    Accessible.name: text
    Accessible.description: keys
    Keys.onReturnPressed: press()
    Keys.onEnterPressed: press()

    function press(): void {
        if (checkable) toggle();
        clicked();
    }

    contentItem: Item {
        Glyph {
            anchors.centerIn: parent
            name: btn.glyph
            tint: btn.hovered || btn.checked ? Theme.fg0 : Theme.fg1
        }
    }
    background: Rectangle {
        radius: Theme.radius
        color: btn.down || btn.hovered || btn.checked ? Theme.bg3 : "transparent"
        border.width: btn.checked ? Theme.hairline : 0
        border.color: Theme.outline
        FocusRing { shown: btn.visualFocus }
    }
    Tip {
        text: btn.keys === "" ? btn.text : btn.text + "  " + btn.keys
        visible: btn.hovered || btn.visualFocus
    }
}
