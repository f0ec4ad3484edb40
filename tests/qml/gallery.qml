// All components on a few pages, with invented contents, to be drawn and looked at. Only the tests load it.
pragma ComponentBehavior: Bound
import QtQuick
import QtCharts
import Belljar

Window {
    id: window
    property string mode: "dark"
    property int page: 0
    readonly property int pages: 5
    readonly property bool tight: width < Theme.tightBelow

    visible: true
    color: Theme.bg0
    title: qsTr("Gallery")
    Binding { target: Theme; property: "mode"; value: window.mode }

    ListModel {
        id: sessions
        ListElement { sessionId: "1"; name: "release-notes"; command: "claude"; workspace: "~/src/magpie"; policy: "agent-claude"
            state: "running"; live: true; reason: ""; allowed: 412; denied: 5; callsDenied: 18; bytes: 24600000; age: 4320000 }
        ListElement { sessionId: "2"; name: "dep-audit"; command: "aider"; workspace: "~/src/lantern"; policy: "python"
            state: "running"; live: true; reason: ""; allowed: 1208; denied: 0; callsDenied: 0; bytes: 311000000; age: 1440000 }
        ListElement { sessionId: "3"; name: "docs-links"; command: "opencode"; workspace: "~/src/magpie-wt/docs"; policy: "offline"
            state: "starting"; live: true; reason: ""; allowed: 0; denied: 0; callsDenied: 0; bytes: 0; age: 1000 }
        ListElement { sessionId: "4"; name: "triage-4182"; command: "gemini -p 'sort the open reports by how often they were seen this year'"
            workspace: "~/src/magpie"; policy: "review"; state: "ended"; live: false; reason: ""; allowed: 57; denied: 9; callsDenied: 2
            bytes: 3900000; age: 660000 }
        ListElement { sessionId: "5"; name: "bench-nightly"; command: "bash bench/run.sh"; workspace: "~/src/lantern"; policy: "default"
            state: "lost"; live: false; reason: "the supervisor got SIGKILL"; allowed: 34; denied: 0; callsDenied: 1; bytes: 880000
            age: 360000 }
        ListElement { sessionId: "6"; name: "a-name-that-goes-on-and-on-because-nobody-said-that-it-may-not-and-then-some-more-of-it-until-the-end"
            command: "node --experimental-vm-modules node_modules/.bin/jest"; workspace: "~/src/a/very/deep/folder/in/another/one"
            policy: "agent-with-a-long-name"; state: "running"; live: true; reason: ""; allowed: 99999; denied: 12345; callsDenied: 99999
            bytes: 999900000; age: 86000000 }
    }
    ListModel {
        id: connections
        ListElement { rowKey: "a"; time: "14:32:07"; process: "node cli.js"; host: "api.anthropic.com:443"; word: "allowed"; sent: 128000; received: 2100000 }
        ListElement { rowKey: "b"; time: "14:32:06"; process: "python3 tools/links.py CHANGELOG.md"; host: "docs.magpie.example:443"; word: "allowed"; sent: 1200; received: 18000 }
        ListElement { rowKey: "c"; time: "14:31:52"; process: "curl -fsSL https://gist.github.com/x"; host: "gist.github.com"; word: "denied"; sent: 0; received: 0 }
        ListElement { rowKey: "d"; time: "14:31:50"; process: "python3 tools/links.py"; host: "169.254.169.254:80"; word: "denied"; sent: 0; received: 0 }
        ListElement { rowKey: "e"; time: "14:30:19"; process: "git remote-https origin"; host: "a-very-long-label.another-long-label.third.fourth.example.org:443"; word: "allowed"; sent: 11000; received: 4100000 }
    }

    Sidebar {
        id: sidebar
        height: parent.height - status.height
        visible: window.page === 0 || window.page > 2
        rail: window.tight
        live: sessions
        currentSession: "1"
        pages: [{ text: qsTr("Sessions"), glyph: "sessions", keys: "Ctrl+1" }, { text: qsTr("Audit"), glyph: "audit" },
                { text: qsTr("System"), glyph: "system" }]
    }
    StatusLine {
        id: status
        anchors { left: parent.left; right: parent.right; bottom: parent.bottom }
        enforcement: qsTr("Rootless helper: 2 layers not available here")
        enforcementWord: "weaker"
        machine: qsTr("Linux 6.18")
        arrival: qsTr("Live, nothing dropped")
        storage: qsTr("Records 1.8 GB")
    }

    Item { // the list of sessions
        id: listPage
        anchors { left: sidebar.right; right: inspector.left; top: parent.top; bottom: status.top }
        visible: window.page === 0 || window.page === 3
        PageHead {
            id: head
            width: parent.width
            title: qsTr("Sessions")
            fact: qsTr("4 live")
            Field { label: qsTr("Filter"); labelled: false; hint: qsTr("Filter by name, host, command"); glyph: "search"; width: Theme.sidebarWidth; clearable: true }
            Btn { kind: "primary"; glyph: "plus"; text: qsTr("New session"); keys: "Ctrl+N" }
        }
        Banner {
            id: banner
            anchors.top: head.bottom
            width: parent.width
            text: qsTr("The index was rebuilt from 212 records, because it could not be read. The old file was kept.")
            action: qsTr("Show it")
        }
        SessionColumns { id: sessionColumns; width: listPage.width }
        SessionHead {
            id: sessionHead
            anchors.top: banner.bottom
            width: parent.width
            columns: sessionColumns
            times: ["13:32", "13:52", "14:12", qsTr("now")]
        }
        ListView {
            id: list
            anchors { top: sessionHead.bottom; left: parent.left; right: parent.right }
            height: contentHeight
            model: sessions
            interactive: false
            delegate: SessionRow {
                required property int index
                required property real age
                status: index === 3 ? 0 : undefined
                startedMs: 1000
                endedMs: live ? 0 : 1000 + age
                nowMs: 1000 + age
                width: ListView.view.width
                columns: sessionColumns
                chosen: index === 0
                traffic: index === 2 ? [] : Array.from({ length: 120 }, (_, i) => i < index * 18 ? 0 : Math.pow(Math.abs(Math.sin(i * i)), 6) * 90000)
                denials: index === 2 ? [] : Array.from({ length: 120 }, (_, i) => i % 37 === 36 && i > index * 18 ? 1 : 0)
                held: index === 0 ? Array.from({ length: 120 }, (_, i) => i > 50 && i < 58 ? 1 : 0) : []
                endBin: live ? -1 : 112
            }
        }
        TraceLegend { anchors { top: list.bottom; topMargin: Theme.gap3; right: parent.right; rightMargin: Theme.pageMargin } }
    }
    Inspector {
        id: inspector
        anchors { right: parent.right; top: parent.top; bottom: status.top }
        width: visible ? implicitWidth : 0
        visible: listPage.visible && !window.tight
        label: qsTr("Session")
        SectionHead { width: parent.width; text: qsTr("Reached"); fact: qsTr("since 13:20") }
        Repeater {
            model: ["api.anthropic.com", "github.com", "index.example.net", "a-very-long-label.another-long-label.third.fourth.example.org"]
            delegate: Item {
                id: reached
                required property string modelData
                width: parent ? parent.width : 0
                height: Theme.controlSmall
                StateMark { word: "allowed"; size: Theme.glyphSmall; anchors.verticalCenter: parent.verticalCenter }
                Mono { x: Theme.gap5; width: parent.width - x; height: parent.height; text: reached.modelData }
            }
        }
        Item { width: 1; height: Theme.gap3 }
        SectionHead { width: parent.width; text: qsTr("Layers"); fact: qsTr("7 of 9 enforced, read back 2 s ago") }
        Txt { width: parent.width; font: Theme.note; color: Theme.fg1; wrapMode: Text.Wrap
              text: qsTr("A kernel uid of its own and memory limits need the system helper. The policy does not require them.") }
    }

    Flow { // words and controls
        anchors { fill: parent; margins: Theme.gap6 }
        visible: window.page === 1
        spacing: Theme.gap6
        Repeater {
            model: [{ head: qsTr("Connection or call"), words: ["allowed", "denied", "held", "expired"] },
                    { head: qsTr("Probe"), words: ["contained", "breached", "allowed-by-policy", "inconclusive", "not-applicable"] },
                    { head: qsTr("Record"), words: ["anchored", "sealed", "unsealed", "broken", "missing"] },
                    { head: qsTr("Layer"), words: ["enforced", "weaker", "not-enforced"] },
                    { head: qsTr("Session"), words: ["starting", "running", "waiting", "ended", "lost"] }]
            delegate: Column {
                id: group
                required property var modelData
                width: Theme.sidebarWidth
                spacing: Theme.gap3
                SectionHead { width: parent.width; text: group.modelData.head; ruled: true }
                Repeater {
                    model: group.modelData.words
                    delegate: Verdict { required property string modelData; word: modelData; small: false }
                }
            }
        }
        Column {
            spacing: Theme.gap3
            SectionHead { width: Theme.dialogWidth; text: qsTr("Controls"); ruled: true }
            Row {
                spacing: Theme.gap2
                Btn { kind: "primary"; text: qsTr("Start") }
                Btn { id: focused; kind: "primary"; text: qsTr("Start") }
                Btn { kind: "primary"; text: qsTr("Start"); enabled: false; why: qsTr("One host to correct") }
                Btn { text: qsTr("Stop"); glyph: "stop" }
                Btn { kind: "ghost"; text: qsTr("Cancel") }
                Btn { kind: "danger"; text: qsTr("Remove 3 sessions…") }
                IconBtn { glyph: "more"; text: qsTr("More") }
                IconBtn { glyph: "split"; text: qsTr("Side by side"); checkable: true; checked: true }
            }
            Row {
                spacing: Theme.gap2
                Field { label: qsTr("Host or process"); labelled: false; hint: qsTr("Host or process"); glyph: "search" }
                Combo { label: qsTr("Policy"); model: ["default", "agent-claude", "offline"]; anchors.verticalCenter: parent.verticalCenter }
            }
            Row {
                spacing: Theme.gap4
                Seg { label: qsTr("Verdict"); entries: [{ text: qsTr("All"), count: 417 }, { text: qsTr("Allowed"), count: 412 }, { text: qsTr("Denied"), count: 5 }, { text: qsTr("Held"), count: 0 }] }
                Chk { text: qsTr("on"); checked: true }
                Chk { text: qsTr("off") }
                Kbd { text: "Ctrl K"; anchors.verticalCenter: parent.verticalCenter }
            }
            Row {
                spacing: Theme.gap2
                Chip { text: "*.crates.example"; removable: true }
                Chip { text: "*.com"; removable: true; error: qsTr("It would open every .com address.") }
                Chip { text: "claude"; chosen: true }
                Chip { text: "codex" }
                Chip { text: "a-very-long-label.another-long-label.third.fourth.example.org"; removable: true }
            }
            Labelled {
                width: Theme.dialogWidth
                label: qsTr("Policy")
                help: qsTr("Reaches 8 hosts, writes to the workspace only.")
                Combo { width: parent.width; implicitHeight: Theme.controlLarge; label: qsTr("Policy"); model: ["agent-claude", "offline"] }
            }
            Field { width: Theme.dialogWidth; label: qsTr("Workspace"); text: "~/src/magpie"; mono: true; help: qsTr("git repository, on main") }
            Field { width: Theme.dialogWidth; label: qsTr("Extra hosts"); text: "*.com"; mono: true; error: qsTr("*.com would open every .com address. Name a domain, for example *.example.com.") }
        }
    }

    Split { // one session
        anchors { left: parent.left; right: parent.right; top: parent.top; bottom: status.top }
        visible: window.page === 2
        label: qsTr("Between the panes")
        place: width * 0.42
        least: Theme.inspectorLeast
        first: [
            TabStrip { width: parent.width; label: qsTr("Left pane"); entries: [{ text: qsTr("Terminal") }]; IconBtn { glyph: "search"; text: qsTr("Search") } },
            EmptyState { anchors.fill: parent; title: qsTr("The session has ended."); text: qsTr("Its record is sealed and can be read under Audit."); glyph: "ended"; action: qsTr("Open its record") }
        ]
        second: [
            TabStrip {
                id: tabs
                width: parent.width
                label: qsTr("Right pane")
                entries: [{ text: qsTr("Egress"), count: 417 }, { text: qsTr("Denials"), count: 23 }, { text: qsTr("Timeline") }, { text: qsTr("Layers") }]
                IconBtn { glyph: "split"; text: qsTr("Side by side") }
            },
            ChartLegend {
                id: legend
                anchors { top: tabs.bottom; topMargin: Theme.gap3; left: parent.left; leftMargin: Theme.gap3; right: parent.right }
                most: parent.width < 560 ? 2 : 4
                entries: [{ name: "api.anthropic.com", rate: "184 kB" }, { name: "github.com", rate: "12 kB" }, { name: "index.example.net", rate: "0 B" }]
            },
            EgressChart {
                id: chart
                anchors { top: legend.bottom; topMargin: Theme.gap2; left: parent.left; right: parent.right }
                label: qsTr("Bytes a second by host")
                fromMs: 0
                toMs: 60
                most: 400
                rateWords: ["100 kB", "200 kB", "300 kB", "400 kB"]
                timeWords: ["14:22", "14:24", "14:26", "14:28", "14:30", qsTr("now")]
                Component.onCompleted: {
                    const line = chart.view.createSeries(ChartView.SeriesTypeLine, "", chart.timeAxis, chart.rateAxis);
                    line.color = Theme.series[0];
                    for (let i = 0; i <= 60; ++i) line.append(i, 200 + 150 * Math.sin(i / 5));
                }
            },
            LiveTable {
                id: table
                anchors { top: chart.bottom; left: parent.left; right: parent.right; bottom: parent.bottom }
                label: qsTr("Connections")
                model: connections
                waiting: 12
                chosenKey: "c"
                sortKey: "time"
                columns: [
                    TableColumn { title: qsTr("Time"); key: "time"; least: 72 },
                    TableColumn { title: qsTr("Process"); key: "process"; least: 90; share: 1 },
                    TableColumn { title: qsTr("Host and port"); key: "host"; least: 120; share: 1.6 },
                    TableColumn { title: qsTr("Verdict"); key: "verdict"; least: 84 },
                    TableColumn { title: qsTr("Received"); key: "received"; least: 80; right: true }
                ]
                delegate: TableRow {
                    id: row
                    required property string time
                    required property string process
                    required property string host
                    required property string word
                    required property real received
                    chosen: table.chosenKey === rowKey
                    spoken: time + ", " + host
                    Mono { width: table.widths[0]; height: row.height; text: row.time; color: Theme.fg2 }
                    Mono { width: table.widths[1] - Theme.gap2; height: row.height; text: row.process; path: true }
                    Item { width: Theme.gap2; height: 1 }
                    Mono { width: table.widths[2] - Theme.gap2; height: row.height; text: row.host }
                    Item { width: Theme.gap2; height: 1 }
                    Verdict { width: table.widths[3]; height: row.height; word: row.word }
                    Mono { width: table.widths[4] - Theme.gap2; height: row.height; text: row.word === "denied" ? "" : Math.round(row.received / 1000) + " kB"; horizontalAlignment: Text.AlignRight; color: Theme.fg1 }
                }
            }
        ]
    }

    EmptyState {
        anchors { left: sidebar.right; right: parent.right; top: parent.top; bottom: status.top }
        visible: window.page === 4
        large: true
        glyph: "jar"
        title: qsTr("No session yet")
        text: qsTr("A session runs a command in a jar of its own and writes down what it reached for.")
        action: qsTr("New session")
        keys: "Ctrl+N"
    }
    Dialog {
        id: dialog
        visible: window.page === 3
        title: qsTr("Remove 3 sessions")
        note: qsTr("Frees 1.2 GB")
        contentItem: Txt {
            text: qsTr("Their records go, and their kept homes. Their workspaces stay as they are. A line in the index remembers each of them.")
            wrapMode: Text.Wrap
            color: Theme.fg1
        }
        buttons: [
            Btn { kind: "ghost"; text: qsTr("Cancel"); implicitHeight: Theme.controlLarge },
            Btn { kind: "danger"; text: qsTr("Remove 3 sessions"); implicitHeight: Theme.controlLarge }
        ]
    }
    onPageChanged: if (page === 1) focused.forceActiveFocus(Qt.TabFocusReason)
}
