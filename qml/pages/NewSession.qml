// A new session: left what is asked for, right what would come of it, below the same as a command. The right side is what the start
// would really do; it is judged by the same code.
pragma ComponentBehavior: Bound
import QtQuick
import QtQuick.Templates as T
import Belljar
import Belljar.App
import Belljar.Look

Dialog {
    id: dialog
    readonly property var start: App.start
    readonly property bool ready: start.error === "" && !start.judging && !start.starting && App.checks.missing === 0
    readonly property real side: (width - leftPadding - rightPadding - Theme.gap5) / 2

    function about(field: string): string { return start.field === field ? start.error : ""; }

    title: qsTr("New session")
    width: Math.min(Theme.dialogWidth * 2, (parent ? parent.width : 0) - Theme.gap6)
    note: start.starting ? qsTr("Starting…") : start.refusal !== "" ? "" : App.checks.missing > 0 ? qsTr("Sessions cannot start here: see System") : start.error
    onAboutToShow: {
        start.look_again();
        App.checks.check();
        command.input.forceActiveFocus();
    }
    buttons: [
        Btn { text: qsTr("Cancel"); onClicked: dialog.close() },
        Btn {
            text: qsTr("Start session")
            keys: qsTr("Ctrl+Enter")
            kind: "primary"
            enabled: dialog.ready
            why: dialog.start.error
            onClicked: dialog.start.start()
        }
    ]
    Shortcut { sequence: "Ctrl+Return"; enabled: dialog.visible && dialog.ready; onActivated: dialog.start.start() }
    Connections {
        target: dialog.start
        function onStarted(): void { dialog.close(); }
    }

    contentHeight: Math.max(form.implicitHeight, outcome.implicitHeight)
    implicitHeight: contentHeight + topPadding + bottomPadding + implicitHeaderHeight + implicitFooterHeight
    Flickable {
        width: dialog.availableWidth
        height: dialog.availableHeight
        contentHeight: dialog.contentHeight
        clip: true
        boundsBehavior: Flickable.StopAtBounds
        T.ScrollBar.vertical: Scroll {}
        Column {
            id: form
            width: dialog.side
            spacing: Theme.gap3
            Field {
                id: command
                width: parent.width
                label: qsTr("Command")
                hint: qsTr("bash")
                mono: true
                text: dialog.start.command
                error: text === "" ? "" : dialog.about("command")
                onEdited: text => dialog.start.command = text
            }
            Row {
                spacing: Theme.gap2
                visible: dialog.start.agents.length > 0
                Repeater {
                    model: dialog.start.agents
                    delegate: Chip {
                        required property string modelData
                        text: modelData
                        onClicked: dialog.start.command = modelData
                    }
                }
            }
            Field {
                width: parent.width
                label: qsTr("Workspace")
                help: qsTr("The folder that the session may write to")
                mono: true
                text: dialog.start.workspace
                error: text === "" ? "" : dialog.about("workspace")
                onEdited: text => dialog.start.workspace = text
            }
            Txt { text: qsTr("Policy"); font: Theme.note; color: Theme.fg1 }
            Combo {
                width: parent.width
                label: qsTr("Policy")
                model: dialog.start.policies
                textRole: "name"
                mono: true
                currentIndex: {
                    for (let i = 0; i < dialog.start.policies.length; ++i)
                        if (dialog.start.policies[i].name === dialog.start.policy) return i;
                    return -1;
                }
                onActivated: index => dialog.start.policy = dialog.start.policies[index].name
            }
            Field {
                width: parent.width
                label: qsTr("More hosts")
                help: qsTr("Beside the policy's, separated by blanks")
                mono: true
                text: dialog.start.hosts.join(" ")
                error: dialog.about("hosts")
                onEdited: text => dialog.start.hosts = text.split(" ")
            }
            Field {
                width: parent.width
                label: qsTr("Name")
                help: qsTr("The command's, when empty")
                text: dialog.start.name
                error: dialog.about("name")
                onEdited: text => dialog.start.name = text
            }
        }
        Column {
            id: outcome
            x: dialog.side + Theme.gap5
            width: dialog.side
            spacing: Theme.gap1
            opacity: dialog.start.judging ? Theme.disabled : 1
            component Lines: Column {
                id: lines
                required property string title
                required property var entries
                required property string none
                property string glyph: ""
                width: outcome.width
                SectionHead { width: parent.width; text: lines.title }
                Txt {
                    width: parent.width
                    visible: lines.entries.length === 0
                    text: lines.none
                    font: Theme.note
                    color: Theme.fg1
                    wrapMode: Text.Wrap
                }
                Repeater {
                    model: lines.entries.slice(0, 8)
                    delegate: Mono {
                        required property string modelData
                        width: lines.width
                        height: Theme.control - Theme.gap1
                        path: true
                        text: Words.visible(modelData, 300)
                    }
                }
                Txt {
                    visible: lines.entries.length > 8
                    text: qsTr("and %1 more").arg(lines.entries.length - 8)
                    font: Theme.note
                    color: Theme.fg2
                }
            }
            Txt {
                width: parent.width
                visible: text !== ""
                text: dialog.start.refusal !== "" ? dialog.start.refusal
                    : dialog.start.field === "" && dialog.start.command !== "" ? dialog.start.error : ""
                color: Theme.fail
                wrapMode: Text.Wrap
                maximumLineCount: 6
            }
            Lines {
                title: qsTr("It can reach")
                entries: dialog.start.reaches
                none: qsTr("No host. Every connection is denied, and recorded.")
            }
            Lines {
                title: qsTr("It can write to")
                entries: (dialog.start.workspaceWritable && dialog.start.workspace !== "" ? [dialog.start.workspace] : []).concat(dialog.start.writes)
                none: qsTr("Nothing but its private home and /tmp.")
            }
            Lines {
                title: qsTr("It can read")
                entries: dialog.start.reads
                none: qsTr("Its workspace and the system's programs; nothing else of your home.")
            }
            SectionHead { width: parent.width; text: qsTr("Its home") }
            Txt {
                width: parent.width
                text: dialog.start.home === "" ? qsTr("One of its own, empty, which goes with it.")
                                               : qsTr("“%1”, kept and shared with other sessions of that name.").arg(dialog.start.home)
                font: Theme.note
                color: Theme.fg1
                wrapMode: Text.Wrap
            }
            Lines { title: qsTr("Notes"); entries: dialog.start.notes; none: ""; visible: entries.length > 0 }
            SectionHead { width: parent.width; text: qsTr("As a command") }
            Rectangle {
                width: parent.width
                height: line.implicitHeight + Theme.gap3
                radius: Theme.frameRadius
                color: Theme.term
                border.color: Theme.line
                Txt {
                    id: line
                    x: Theme.gap3
                    y: Theme.gap2
                    width: parent.width - 2 * Theme.gap3
                    text: dialog.start.commandLine === "" ? "belljar run" : Words.visible(dialog.start.commandLine, 2000)
                    font: Theme.mono
                    color: Theme.fg1
                    wrapMode: Text.WrapAnywhere
                    maximumLineCount: 6
                }
            }
        }
    }
}
