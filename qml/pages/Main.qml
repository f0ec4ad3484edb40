// The window: the sidebar, one page, the status line. Plain data and what can be done with it come from App.
pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Templates as T
import Belljar
import Belljar.App
import Belljar.Sessions

T.ApplicationWindow {
    id: window
    property string theme: ""     // "dark" or "light": whatever the desktop is
    property string failure: ""  // of what was asked last
    property bool still: false    // for pictures: nothing moves
    property string page: "sessions"
    property string session: ""   // the one in focus, by id
    readonly property var pages: ["sessions", "new-session", "system"]
    readonly property bool tight: width < Theme.tightBelow
    property real nowMs: Date.now()

    function choose(name: string): void {
        if (name === "new-session") newSession.open();
        else newSession.close();
        page = name;
    }

    width: 1440
    height: 900
    minimumWidth: 800
    minimumHeight: 560
    visible: true
    title: qsTr("Belljar")
    color: Theme.bg0
    font: Theme.body
    onPageChanged: {
        nowMs = Date.now();
        choose(page);
    }
    onThemeChanged: Theme.mode = theme === "" ? "system" : theme
    Component.onCompleted: {
        Theme.mode = theme === "" ? "system" : theme;
        App.checks.check();
    }
    Binding {
        target: App
        property: "seen"
        value: window.visibility !== Window.Hidden && window.visibility !== Window.Minimized
    }
    Timer {
        interval: 1000
        repeat: true
        running: App.seen && !window.still
        onTriggered: window.nowMs = Date.now()
    }
    Connections {
        target: App
        function onRaised(): void {
            window.show();
            window.raise();
            window.requestActivate();
        }
        function onFolderOpened(folder: string): void {
            if (folder !== "") window.choose("new-session");
        }
        function onDone(id: string, what: string, error: string): void { window.failure = error; }
    }
    Connections {
        target: App.start
        function onStarted(id: string, name: string): void {
            window.session = id;
            window.choose("sessions");
        }
    }
    Shortcut { sequences: ["Ctrl+N", "Ctrl+Shift+N"]; onActivated: window.choose("new-session") }
    Shortcut { sequence: "Ctrl+B"; onActivated: sidebar.narrowed = !sidebar.narrowed }
    Shortcut { sequence: "Ctrl+Q"; onActivated: Qt.quit() }

    SessionFilter { id: alive; sessions: App.sessions; liveOnly: true }

    Sidebar {
        id: sidebar
        property bool narrowed: false
        anchors { top: parent.top; bottom: statusLine.top; left: parent.left }
        rail: narrowed || window.tight
        pages: [{ text: qsTr("Sessions"), glyph: "sessions" }, { text: qsTr("System"), glyph: "system" }]
        current: window.page === "system" ? 1 : 0
        live: alive
        withPalette: false
        currentSession: window.session
        onPageChosen: index => window.choose(index === 1 ? "system" : "sessions")
        onSessionChosen: id => {
            window.session = id;
            window.choose("sessions");
        }
    }
    Banner {
        id: banner
        anchors { top: parent.top; left: sidebar.right; right: parent.right }
        text: window.failure !== "" ? window.failure : App.sessions.notice
        kind: "fail"
        action: window.failure !== "" ? qsTr("Dismiss") : ""
        onActed: window.failure = ""
    }
    SessionsPage {
        anchors { top: banner.bottom; left: sidebar.right; right: parent.right; bottom: statusLine.top }
        visible: window.page !== "system"
        session: window.session
        nowMs: window.nowMs
        tight: window.tight
        onChosen: id => window.session = id
        onNewSessionAsked: window.choose("new-session")
    }
    SystemPage {
        anchors { top: banner.bottom; left: sidebar.right; right: parent.right; bottom: statusLine.top }
        visible: window.page === "system"
    }
    StatusLine {
        id: statusLine
        anchors { left: parent.left; right: parent.right; bottom: parent.bottom }
        enforcement: !App.checks.known ? qsTr("Looking at this machine…")
                   : App.checks.missing > 0 ? qsTr("Sessions cannot start here: see System")
                   : App.checks.notes > 0 ? qsTr("Sessions can start, with less than they could: see System")
                   : qsTr("Sessions can start")
        enforcementWord: !App.checks.known ? "not-enforced" : App.checks.missing > 0 ? "missing" : App.checks.notes > 0 ? "weaker" : "enforced"
        machine: App.kernel
        arrival: qsTr("Belljar %1").arg(App.version)
    }
    NewSession {
        id: newSession
        onClosed: if (window.page === "new-session") window.page = "sessions"
    }
}
