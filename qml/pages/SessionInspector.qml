// What the chosen session is and did, without opening it.
import QtQuick
import Belljar
import Belljar.App
import Belljar.Look

Inspector {
    id: inspector
    required property var facts // the roles of its row; empty: none is chosen
    required property real nowMs
    signal removeAsked

    readonly property bool live: facts.live === true

    function fact(name: string): string { return facts[name] === undefined ? "" : Words.visible(String(facts[name]), 400); }
    function number(name: string): real { return facts[name] === undefined ? 0 : facts[name]; }

    label: qsTr("The chosen session")
    filled: facts.sessionId !== undefined
    prompt: qsTr("Choose a session to see what it does")

    component Line: Item {
        id: line
        property string label
        property string value
        property bool mono: false
        property color tint: Theme.fg0
        width: parent ? parent.width : 0
        height: visible ? Theme.rowHeight : 0
        visible: value !== ""
        Txt {
            id: name
            anchors.verticalCenter: parent.verticalCenter
            width: Math.min(implicitWidth, line.width / 2)
            text: line.label
            font: Theme.note
            color: Theme.fg1
            Accessible.ignored: true
        }
        Txt {
            anchors { left: name.right; leftMargin: Theme.gap3; right: parent.right; verticalCenter: parent.verticalCenter }
            text: line.value
            font: line.mono ? Theme.mono : Theme.note
            color: line.tint
            horizontalAlignment: Text.AlignRight
            elide: Text.ElideMiddle
            Accessible.name: line.label + " " + line.value
        }
    }

    Row {
        spacing: Theme.gap2
        StateMark { word: inspector.fact("state"); anchors.verticalCenter: parent.verticalCenter }
        Txt {
            text: inspector.fact("name")
            width: Math.min(implicitWidth, inspector.width - Theme.gap6 * 2)
            font: Theme.title
        }
    }
    Mono { width: parent ? parent.width : 0; path: true; text: inspector.fact("command"); color: Theme.fg1 }
    Mono { width: parent ? parent.width : 0; path: true; text: inspector.fact("workspace"); color: Theme.fg1 }
    Item { width: 1; height: Theme.gap2 }
    Row {
        spacing: Theme.gap2
        Btn { text: qsTr("Stop"); glyph: "stop"; visible: inspector.live; onClicked: App.stop(inspector.facts.sessionId) }
        Btn { text: qsTr("Remove…"); visible: !inspector.live; onClicked: inspector.removeAsked() }
    }
    Item { width: 1; height: Theme.gap2 }
    SectionHead { width: parent ? parent.width : 0; text: qsTr("Reached"); fact: Words.bytes(inspector.number("bytes")) }
    Line { label: qsTr("Connections allowed"); value: Words.count(inspector.number("allowed")); mono: true }
    Line {
        label: qsTr("Connections denied")
        value: Words.count(inspector.number("denied"))
        mono: true
        tint: inspector.number("denied") > 0 ? Theme.refuse : Theme.fg2
    }
    Line {
        label: qsTr("Calls denied")
        value: Words.count(inspector.number("callsDenied"))
        mono: true
        tint: inspector.number("callsDenied") > 0 ? Theme.refuse : Theme.fg2
    }
    Item { width: 1; height: Theme.gap2 }
    SectionHead { width: parent ? parent.width : 0; text: qsTr("Session") }
    Line { label: qsTr("Policy"); value: inspector.fact("policy"); mono: true }
    Line { label: qsTr("Started"); value: inspector.number("startedMs") > 0 ? Words.when(inspector.number("startedMs"), inspector.nowMs) : "" }
    Line { label: qsTr("Ended"); value: inspector.number("endedMs") > 0 ? Words.when(inspector.number("endedMs"), inspector.nowMs) : "" }
    Line { label: qsTr("Why"); value: inspector.fact("reason") }
    Line {
        label: qsTr("Record")
        value: inspector.live ? qsTr("being written") : inspector.facts.sealed === true ? qsTr("sealed") : qsTr("not sealed")
        tint: inspector.live || inspector.facts.sealed === true ? Theme.fg0 : Theme.unsure
    }
    Line { label: qsTr("Id"); value: inspector.fact("sessionId"); mono: true }
}
