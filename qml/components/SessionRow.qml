// One session in the list. Its roles are those of SessionsModel; a press selects, a double click or Enter opens, a right click or the
// Menu key asks for the menu. What acts carries the session's own id, whatever stands under the pointer at the release.
pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Templates as T
import Belljar
import Belljar.Look

T.ItemDelegate {
    id: row
    required property string sessionId
    required property string name
    required property string command
    required property string workspace
    required property string policy
    required property string state
    required property bool live
    required property var status // absent while it runs
    required property string reason
    required property real allowed
    required property real denied
    required property real callsDenied
    required property real bytes
    required property real startedMs
    required property real endedMs
    required property SessionColumns columns
    property real nowMs: 0
    property bool chosen: false
    property var traffic: [] // of the common time axis, as TraceStrip has it; none: no trace
    property var denials: []
    property var held: []
    property int endBin: -1
    signal selected(string sessionId)
    signal opened(string sessionId)
    signal menuAsked(string sessionId)

    readonly property string saying: {
        if (state === "ended" && status !== undefined && status !== null) return qsTr("Ended with status %1").arg(status);
        if (state === "ended" && reason !== "") return qsTr("Ended: %1").arg(reason);
        if (state === "lost" && reason !== "") return qsTr("Lost: %1").arg(reason);
        return signs.text;
    }
    readonly property Vocabulary signs: Vocabulary { word: row.state }

    implicitHeight: Theme.sessionRowHeight
    focusPolicy: Qt.StrongFocus
    Accessible.role: Accessible.ListItem
    Accessible.name: qsTr("%1, %2, %3 allowed, %4 denied, %5 calls denied").arg(Words.visible(name, 200)).arg(saying)
                     .arg(Words.count(allowed)).arg(Words.count(denied)).arg(Words.count(callsDenied))
    Accessible.selected: chosen
    onPressed: selected(sessionId)
    onDoubleClicked: opened(sessionId)
    Keys.onReturnPressed: opened(sessionId)
    Keys.onEnterPressed: opened(sessionId)
    Keys.onMenuPressed: menuAsked(sessionId)
    TapHandler {
        acceptedButtons: Qt.RightButton
        onTapped: {
            row.selected(row.sessionId);
            row.menuAsked(row.sessionId);
        }
    }

    component Number: Txt {
        property real value: 0
        property color tint: Theme.fg1
        height: row.height
        text: Words.count(value)
        font: Theme.mono
        color: value > 0 ? tint : Theme.fg2
        horizontalAlignment: Text.AlignRight
        Accessible.ignored: true
    }

    background: Rectangle {
        color: row.chosen ? Theme.sel : row.hovered ? Theme.bg1 : "transparent"
        Rectangle { width: Theme.selectionBar; height: parent.height; color: Theme.accent; visible: row.chosen || row.visualFocus }
        Rectangle {
            anchors { left: parent.left; right: parent.right; bottom: parent.bottom; leftMargin: row.columns.text }
            height: Theme.hairline
            color: Theme.rowLine
            visible: !row.chosen
        }
        FocusRing { shown: row.visualFocus; inside: true }
    }
    Item {
        anchors.fill: parent
        StateMark {
            x: Theme.pageMargin
            y: Theme.gap3
            word: row.state
        }
        Item {
            x: row.columns.text
            width: row.columns.session - Theme.gap3
            height: parent.height
            clip: true
            Txt {
                id: title
                y: Theme.gap2 + Theme.selectionBar
                width: Math.min(implicitWidth, parent.width * (row.state === "lost" ? 0.5 : 0.7))
                text: Words.visible(row.name, 200)
                font: Theme.name
                Accessible.ignored: true
            }
            Txt {
                anchors { left: parent.left; leftMargin: title.contentWidth + Theme.gap2; right: parent.right; baseline: title.baseline }
                text: row.saying
                font: Theme.note
                color: row.signs.word === "running" || row.signs.word === "starting" ? Theme.fg2 : row.signs.textColor
                Accessible.ignored: true
            }
            Mono {
                id: commandText
                anchors { top: title.bottom; topMargin: Theme.gap1 }
                width: Math.min(implicitWidth, parent.width * 0.45)
                path: true
                text: Words.visible(row.command, 300)
                font: Theme.monoSmall
                color: Theme.fg1
            }
            Txt {
                anchors { left: parent.left; leftMargin: commandText.contentWidth + Theme.gap2; right: parent.right; baseline: commandText.baseline }
                text: qsTr("in %1, %2").arg(Words.visible(row.workspace, 300)).arg(Words.visible(row.policy, 80))
                font: Theme.note
                color: Theme.fg2
                elide: Text.ElideMiddle
                Accessible.ignored: true
            }
        }
        Trace {
            x: row.columns.text + row.columns.session
            y: (parent.height - height) / 2
            width: row.columns.trace
            height: Theme.traceHeight
            visible: row.columns.traced && (row.traffic.length > 0 || row.denials.length > 0)
            label: qsTr("Traffic and denials of %1").arg(Words.visible(row.name, 200))
            traffic: row.traffic
            denials: row.denials
            held: row.held
            endBin: row.endBin
        }
        Row {
            anchors { right: parent.right; rightMargin: Theme.pageMargin }
            Number { width: row.columns.allowed; value: row.allowed }
            Number { width: row.columns.denied; value: row.denied; tint: Theme.refuse }
            Number { width: row.columns.calls; value: row.callsDenied; tint: Theme.refuse }
            Number { width: row.columns.bytes; value: row.bytes; text: Words.bytes(row.bytes) }
            Number {
                width: row.columns.age
                value: 1
                text: Words.age((row.endedMs > 0 ? row.endedMs : row.nowMs) - row.startedMs)
            }
        }
    }
}
