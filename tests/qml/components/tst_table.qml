pragma ComponentBehavior: Bound
import QtQuick
import QtTest
import Belljar

Item {
    id: scene
    width: 600
    height: 400

    ListModel { id: rows }
    LiveTable {
        id: table
        width: parent.width
        height: 300
        label: "Connections"
        model: rows
        emptyTitle: "No connection yet."
        columns: [
            TableColumn { title: "Time"; key: "time"; least: 80 },
            TableColumn { title: "Host"; key: "host"; least: 100; share: 1 },
            TableColumn { title: "Process"; least: 100; share: 3 }
        ]
        delegate: TableRow {
            id: row
            required property string host
            chosen: table.chosenKey === rowKey
            spoken: host
            onSelected: key => table.chosenKey = key
            onOpened: key => scene.opened.push(key)
            Mono { width: table.widths[1]; text: row.host }
        }
    }
    property var opened: []
    Split { id: split; y: 320; width: 600; height: 80; label: "Between"; place: 300; least: 100 }

    SignalSpy { id: sorted; target: table; signalName: "sortAsked" }
    SignalSpy { id: newest; target: table; signalName: "newestAsked" }
    SignalSpy { id: stepped; target: table; signalName: "stepAsked" }
    SignalSpy { id: moved; target: split; signalName: "moved" }

    TestCase {
        name: "Table"
        when: windowShown

        function init() {
            for (const spy of [sorted, newest, stepped, moved])
                spy.clear();
            rows.clear();
            for (let i = 0; i < 100; ++i)
                rows.append({ rowKey: "k" + i, host: "host" + i + ".example" });
            table.chosenKey = "";
            table.waiting = 0;
            table.dragged = {};
            table.view.positionViewAtBeginning();
            scene.opened = [];
        }
        function childOf(item, is) {
            for (let i = 0; i < item.children.length; ++i)
                if (is(item.children[i])) return item.children[i];
            return null;
        }
        function bodyClick(y, button) {
            mouseClick(table.view, 100, y, button ?? Qt.LeftButton);
        }

        function test_widths_are_shared_out_and_fill_the_table() {
            const room = table.view.width - Theme.gap3 * 2;
            const sum = table.widths.reduce((a, b) => a + b, 0);
            verify(sum <= room && sum > room - 4, sum + " of " + room);
            compare(table.widths[0], 80);
            verify(table.widths[2] > table.widths[1]);
        }
        function test_too_little_room_is_borne_by_all() {
            const widths = table.shareOut(140);
            verify(widths.every(width => width > 0));
            verify(widths.reduce((a, b) => a + b, 0) <= 140);
        }
        function test_a_dragged_width_stays_whatever_the_rows_say() {
            table.dragged = { 1: 222 };
            compare(table.widths[1], 222);
            rows.append({ rowKey: "z", host: "x".repeat(500) });
            compare(table.widths[1], 222);
        }
        function test_a_press_chooses_the_row_it_hit_whatever_arrives_before_the_release() {
            mousePress(table.view, 100, 10);
            compare(table.chosenKey, "k0");
            rows.insert(0, { rowKey: "new", host: "new.example" });
            mouseRelease(table.view, 100, 10);
            compare(table.chosenKey, "k0");
        }
        function test_the_table_follows_only_at_the_top_with_nothing_chosen() {
            verify(table.following);
            bodyClick(10);
            verify(!table.following);
            table.chosenKey = "";
            table.view.contentY = 100;
            verify(!table.following);
        }
        function test_what_waits_is_shown_when_asked_for() {
            table.view.contentY = 200;
            table.waiting = 12;
            mouseClick(table, table.width / 2, Theme.columnHeadHeight + Theme.gap2 + Theme.controlSmall / 2);
            compare(newest.count, 1);
            verify(table.view.atYBeginning);
        }
        function test_a_head_sorts_and_turns_round() {
            mouseClick(table, 30, 13);
            compare(sorted.signalArguments[0][0], "time");
            compare(sorted.signalArguments[0][1], true);
            table.sortKey = "time";
            mouseClick(table, 30, 13);
            compare(sorted.signalArguments[1][1], false);
            table.sortKey = "";
        }
        function test_a_head_that_cannot_sort_does_not() {
            mouseClick(table, table.width - 60, 13);
            compare(sorted.count, 0);
        }
        function test_keys_step_and_go_to_the_newest() {
            table.view.forceActiveFocus(Qt.TabFocusReason);
            keyClick(Qt.Key_Down);
            keyClick(Qt.Key_Up);
            keyClick(Qt.Key_PageDown);
            compare(stepped.signalArguments[0][0], 1);
            compare(stepped.signalArguments[1][0], -1);
            verify(stepped.signalArguments[2][0] > 5);
            keyClick(Qt.Key_Home);
            compare(newest.count, 1);
        }
        function test_an_empty_table_says_why() {
            rows.clear();
            const empty = childOf(table, child => child.title === "No connection yet.");
            tryVerify(() => empty.visible);
            rows.append({ rowKey: "a", host: "a" });
            tryVerify(() => !empty.visible);
        }
        function test_the_split_is_moved_by_keys_and_keeps_both_panes() {
            const bar = childOf(split, child => child.Accessible.name === "Between");
            bar.forceActiveFocus();
            keyClick(Qt.Key_Left);
            compare(split.at, 300 - Theme.gap4);
            compare(moved.count, 1);
            split.place = 9999;
            compare(split.at, 500);
            split.place = 0;
            compare(split.at, 100);
        }
    }
}
