// Tabs with counts over a pane. Left and Right move while it has the focus. Entries: { text, count? }.
pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Templates as T
import Belljar
import Belljar.Look

FocusScope {
    id: strip
    required property string label
    required property var entries
    property int current: 0
    default property alias tools: tools.data // at the right end
    signal chosen(int index)

    function choose(index: int): void {
        if (index < 0 || index >= entries.length || index === current) return;
        current = index;
        chosen(index);
    }

    implicitHeight: Theme.tabHeight
    implicitWidth: row.implicitWidth + tools.implicitWidth + Theme.gap4 * 2
    activeFocusOnTab: true
    Accessible.role: Accessible.PageTabList
    Accessible.name: label
    Keys.onLeftPressed: choose(current - 1)
    Keys.onRightPressed: choose(current + 1)

    Rectangle { anchors.fill: parent; color: Theme.bg1 }
    Row {
        id: row
        x: Theme.gap1
        height: parent.height
        Repeater {
            model: strip.entries
            delegate: T.AbstractButton {
                id: tab
                required property int index
                required property var modelData
                readonly property bool is: strip.current === index
                readonly property string number: modelData.count === undefined ? "" : Words.count(modelData.count)

                height: strip.height
                implicitWidth: implicitContentWidth + Theme.gap3 * 2
                horizontalPadding: Theme.gap3
                focusPolicy: Qt.NoFocus
                Accessible.role: Accessible.PageTab
                Accessible.name: number === "" ? modelData.text : modelData.text + " " + number
                Accessible.checked: is
                onClicked: {
                    strip.forceActiveFocus(Qt.MouseFocusReason);
                    strip.choose(index);
                }
                contentItem: Row {
                    spacing: Theme.gap1 + Theme.selectionBar
                    Txt {
                        text: tab.modelData.text
                        font: tab.is ? Theme.strong : Theme.body
                        color: tab.is || tab.hovered ? Theme.fg0 : Theme.fg1
                        anchors.verticalCenter: parent.verticalCenter
                        Accessible.ignored: true
                    }
                    Txt {
                        text: tab.number
                        visible: text !== ""
                        font: Theme.monoSmall
                        color: Theme.fg2
                        anchors.verticalCenter: parent.verticalCenter
                        Accessible.ignored: true
                    }
                }
                background: Item {
                    Rectangle {
                        anchors { left: parent.left; right: parent.right; bottom: parent.bottom; leftMargin: Theme.gap3; rightMargin: Theme.gap3 }
                        height: Theme.selectionBar
                        color: Theme.accent
                        visible: tab.is
                    }
                    FocusRing { shown: tab.is && strip.activeFocus; inside: true }
                }
            }
        }
    }
    Row {
        id: tools
        anchors { right: parent.right; rightMargin: Theme.gap2; verticalCenter: parent.verticalCenter }
        spacing: Theme.gap1
    }
    Rectangle { anchors { left: parent.left; right: parent.right; bottom: parent.bottom } height: Theme.hairline; color: Theme.line }
}
