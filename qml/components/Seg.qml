// One of a few, all in view: filters, spans. Arrow keys move the choice, Tab passes. Entries: { text, count? }; a count of 0 stays.
pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Templates as T
import Belljar
import Belljar.Look

FocusScope {
    id: seg
    required property string label // accessible name of the whole
    required property var entries
    property int current: 0
    signal chosen(int index)

    function choose(index: int): void {
        if (index < 0 || index >= entries.length || index === current) return;
        current = index;
        chosen(index);
    }

    implicitWidth: row.implicitWidth + Theme.selectionBar * 2
    implicitHeight: Theme.controlSmall
    opacity: enabled ? 1 : Theme.disabled
    activeFocusOnTab: true
    Accessible.role: Accessible.PageTabList
    Accessible.name: label
    Keys.onLeftPressed: choose(current - 1)
    Keys.onRightPressed: choose(current + 1)

    Rectangle {
        anchors.fill: parent
        radius: Theme.radius
        color: "transparent"
        border.color: Theme.outline
        FocusRing { shown: seg.activeFocus }
    }
    Row {
        id: row
        x: Theme.selectionBar
        y: Theme.selectionBar
        Repeater {
            model: seg.entries
            delegate: T.AbstractButton {
                id: part
                required property int index
                required property var modelData
                readonly property bool is: seg.current === index
                readonly property string number: modelData.count === undefined ? "" : Words.count(modelData.count)

                height: seg.height - Theme.selectionBar * 2
                implicitWidth: implicitContentWidth + Theme.gap2 * 2
                horizontalPadding: Theme.gap2
                focusPolicy: Qt.NoFocus
                Accessible.role: Accessible.PageTab
                Accessible.name: number === "" ? modelData.text : modelData.text + " " + number
                Accessible.checked: is
                onClicked: {
                    seg.forceActiveFocus(Qt.MouseFocusReason);
                    seg.choose(index);
                }
                contentItem: Txt {
                    text: part.number === "" ? part.modelData.text : part.modelData.text + " " + part.number
                    font: Theme.note
                    color: part.is ? Theme.fg0 : Theme.fg1
                    Accessible.ignored: true
                }
                background: Rectangle {
                    radius: Theme.radius - Theme.hairline
                    color: part.is || part.hovered ? Theme.bg3 : "transparent"
                    border.width: part.is ? Theme.hairline : 0
                    border.color: Theme.edge
                }
            }
        }
    }
}
