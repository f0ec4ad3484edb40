// One line of input. Its label is a text of its own above it; the placeholder only helps. `error` says what is wrong with what stands in it.
import QtQuick
import QtQuick.Templates as T
import Belljar

FocusScope {
    id: field
    required property string label
    property bool labelled: true // false: the label is only the accessible name, for tool rows
    property string hint: ""
    property string help: ""
    property string error: ""
    property string glyph: ""
    property bool mono: false
    property bool clearable: false
    property int most: 4096
    property alias text: input.text
    property alias input: input

    signal edited(string text)
    signal accepted

    implicitWidth: Theme.dialogWidth / 2
    implicitHeight: column.implicitHeight
    opacity: enabled ? 1 : Theme.disabled

    Column {
        id: column
        width: parent.width
        spacing: Theme.gap1 + Theme.selectionBar
        Txt {
            width: parent.width
            visible: field.labelled
            text: field.label
            font: Theme.note
            color: Theme.fg1
            Accessible.ignored: true
        }
        T.TextField {
            id: input
            width: parent.width
            implicitHeight: field.labelled ? Theme.controlLarge : Theme.control
            focus: true
            font: field.mono ? Theme.mono : Theme.body
            color: Theme.fg0
            placeholderTextColor: Theme.fg2
            selectionColor: Theme.accentFill
            selectedTextColor: Theme.inkAccent
            selectByMouse: true
            maximumLength: field.most
            clip: true
            verticalAlignment: TextInput.AlignVCenter
            leftPadding: field.glyph === "" ? Theme.gap2 : Theme.gap2 + Theme.glyphSmall + Theme.gap2
            rightPadding: clear.visible ? clear.width : Theme.gap2
            Accessible.role: Accessible.EditableText
            Accessible.name: field.label
            Accessible.description: field.error === "" ? field.help : field.error
            onTextEdited: field.edited(text)
            onAccepted: field.accepted()

            Txt {
                x: input.leftPadding
                width: input.width - input.leftPadding - input.rightPadding
                height: parent.height
                text: field.hint
                font: input.font
                color: Theme.fg2
                visible: input.text === "" && input.preeditText === ""
                Accessible.ignored: true
            }
            Glyph {
                x: Theme.gap2
                anchors.verticalCenter: parent.verticalCenter
                name: field.glyph
                size: Theme.glyphSmall
                tint: Theme.fg2
                visible: field.glyph !== ""
            }
            IconBtn {
                id: clear
                anchors.right: parent.right
                anchors.verticalCenter: parent.verticalCenter
                glyph: "close"
                text: qsTr("Clear")
                visible: field.clearable && input.text !== ""
                onClicked: {
                    input.clear();
                    field.edited("");
                    input.forceActiveFocus();
                }
            }
            background: Rectangle {
                color: Theme.bg2
                radius: Theme.radius
                border.width: input.activeFocus ? Theme.focusWidth : Theme.hairline
                border.color: input.activeFocus ? Theme.accent : field.error !== "" ? Theme.fail : Theme.edge
            }
        }
        Txt {
            width: parent.width
            visible: text !== ""
            text: field.error === "" ? field.help : field.error
            font: Theme.note
            color: field.error === "" ? Theme.fg2 : Theme.fail
            wrapMode: Text.Wrap
            Accessible.ignored: true
        }
    }
}
