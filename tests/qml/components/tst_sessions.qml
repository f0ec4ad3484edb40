import QtQuick
import QtTest
import Belljar
import Belljar.Look

Item {
    id: scene
    width: 1000
    height: 400

    SessionColumns { id: sessionColumns; width: scene.width }
    SessionRow {
        id: row
        width: scene.width
        columns: sessionColumns
        sessionId: "s1"
        name: "release-notes"
        command: "claude"
        workspace: "~/src/magpie"
        policy: "default"
        state: "running"
        live: true
        status: undefined
        reason: ""
        allowed: 412
        denied: 5
        callsDenied: 18
        bytes: 1000
        startedMs: 1000
        endedMs: 0
        nowMs: 61000
    }
    ListModel {
        id: live
        ListElement { sessionId: "s1"; name: "release-notes"; state: "running" }
        ListElement { sessionId: "s2"; name: "dep-audit"; state: "starting" }
    }
    Sidebar {
        id: sidebar
        y: 100
        height: 300
        live: live
        pages: [{ text: "Sessions", glyph: "sessions" }, { text: "Audit", glyph: "audit" }]
    }
    Verdict { id: verdict; x: 400; y: 100; word: "denied" }
    Mono { id: host; x: 400; y: 180; width: 60; text: "a.very.long.host.example.org" }
    StateMark { id: mark; x: 400; y: 140; word: "lost" }

    SignalSpy { id: selected; target: row; signalName: "selected" }
    SignalSpy { id: opened; target: row; signalName: "opened" }
    SignalSpy { id: menu; target: row; signalName: "menuAsked" }
    SignalSpy { id: page; target: sidebar; signalName: "pageChosen" }
    SignalSpy { id: session; target: sidebar; signalName: "sessionChosen" }
    SignalSpy { id: palette; target: sidebar; signalName: "paletteAsked" }

    TestCase {
        name: "Sessions"
        when: windowShown

        function init() {
            for (const spy of [selected, opened, menu, page, session, palette])
                spy.clear();
            row.state = "running";
            row.status = undefined;
            row.reason = "";
            sidebar.rail = false;
        }

        function childOf(item, is) {
            for (let i = 0; i < item.children.length; ++i)
                if (is(item.children[i])) return item.children[i];
            return null;
        }
        function test_a_press_selects_and_a_double_click_opens() {
            mouseClick(row);
            compare(selected.signalArguments[0][0], "s1");
            compare(opened.count, 0);
            mouseDoubleClickSequence(row);
            compare(opened.count, 1);
        }
        function test_a_right_click_asks_for_the_menu_of_that_session() {
            mouseClick(row, 100, 20, Qt.RightButton);
            compare(menu.count, 1);
            compare(menu.signalArguments[0][0], "s1");
            compare(opened.count, 0);
        }
        function test_the_keys_open_and_ask_for_the_menu() {
            row.forceActiveFocus(Qt.TabFocusReason);
            keyClick(Qt.Key_Return);
            keyClick(Qt.Key_Menu);
            compare(opened.count, 1);
            compare(menu.count, 1);
        }
        function test_a_row_says_how_a_session_ended() {
            compare(row.saying, "Running");
            row.state = "ended";
            row.status = 3;
            compare(row.saying, "Ended with status 3");
            row.state = "lost";
            row.reason = "the supervisor got SIGKILL";
            compare(row.saying, "Lost: the supervisor got SIGKILL");
            verify(row.Accessible.name.includes("5 denied"));
        }
        function test_a_name_of_ten_thousand_characters_is_spoken_short() {
            row.name = "x".repeat(10000);
            verify(row.Accessible.name.length < 400);
            row.name = "release-notes";
        }
        function test_the_columns_fill_the_list_and_do_not_overlap_data() {
            return [{ tag: "wide", width: 1200 }, { tag: "tight", width: 900 }, { tag: "narrow", width: 700 }];
        }
        function test_the_columns_fill_the_list_and_do_not_overlap(data) {
            scene.width = data.width;
            verify(sessionColumns.session > 150);
            const all = sessionColumns.text + sessionColumns.session + sessionColumns.trace + sessionColumns.numbers + Theme.pageMargin;
            verify(all <= data.width, all + " of " + data.width);
            scene.width = 1000;
        }
        function test_the_sidebar_names_pages_and_live_sessions() {
            mouseClick(sidebar, 60, Theme.headHeight + Theme.controlLarge * 1.5);
            compare(page.signalArguments[0][0], 1);
            const list = childOf(sidebar, child => child.count === 2 && child.model === live);
            mouseClick(list, 60, Theme.control * 1.5);
            compare(session.signalArguments[0][0], "s2");
            mouseClick(sidebar, 60, sidebar.height - Theme.gap2 - Theme.controlLarge / 2);
            compare(palette.count, 1);
        }
        function test_a_rail_has_the_same_entries() {
            sidebar.rail = true;
            tryCompare(sidebar, "width", Theme.railWidth);
            mouseClick(sidebar, 20, Theme.headHeight + Theme.controlLarge * 0.5);
            compare(page.signalArguments[0][0], 0);
        }
        function test_every_word_has_a_sign_of_its_own_and_an_unknown_one_is_shown() {
            const seen = [];
            for (const word of ["allowed", "denied", "held", "expired", "contained", "breached", "allowed-by-policy", "inconclusive",
                                "not-applicable", "sealed", "anchored", "unsealed", "broken", "missing", "enforced", "weaker",
                                "not-enforced", "starting", "running", "ended", "lost"]) {
                mark.word = word;
                verify(!seen.includes(mark.name), word);
                seen.push(mark.name);
                verify(mark.signs.text !== word, word);
                compare(mark.status, Image.Ready);
            }
            verdict.word = "postponed";
            compare(verdict.text, "postponed");
        }
        function test_a_host_that_is_cut_tells_the_whole_of_it() {
            verify(host.truncated);
            compare(host.elide, Text.ElideLeft);
            mouseMove(host, 20, 5);
            const loader = childOf(host, child => child.sourceComponent !== undefined);
            tryVerify(() => loader.item !== null && loader.item.opened);
            compare(loader.item.text, host.text);
            mouseMove(scene, 5, 5);
            tryVerify(() => loader.item === null);
        }
        function test_hostile_text_is_shown_as_text() {
            compare(Words.visible("a\u202eb"), "a\\u202eb");
        }
    }
}
