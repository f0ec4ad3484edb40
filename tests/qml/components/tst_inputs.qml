import QtQuick
import QtTest
import Belljar

Item {
    id: scene
    width: 600
    height: 400

    Field { id: field; label: "Extra hosts"; width: 300; clearable: true; most: 20 }
    Combo { id: combo; y: 100; label: "Policy"; model: ["default", "a-policy-with-a-long-name", "offline"] }
    Seg { id: seg; y: 150; label: "Verdict"; entries: [{ text: "All", count: 417 }, { text: "Allowed", count: 412 }, { text: "Held", count: 0 }] }
    TabStrip { id: tabs; y: 200; width: 600; label: "Panes"; entries: [{ text: "Egress", count: 417 }, { text: "Denials" }, { text: "Layers" }] }

    SignalSpy { id: edited; target: field; signalName: "edited" }
    SignalSpy { id: accepted; target: field; signalName: "accepted" }
    SignalSpy { id: chosen; target: seg; signalName: "chosen" }
    SignalSpy { id: tabbed; target: tabs; signalName: "chosen" }

    TestCase {
        name: "Inputs"
        when: windowShown

        function init() {
            for (const spy of [edited, accepted, chosen, tabbed])
                spy.clear();
            field.text = "";
            seg.current = 0;
            tabs.current = 0;
            combo.currentIndex = 0;
        }

        function test_a_field_takes_what_is_typed_and_says_so() {
            mouseClick(field.input);
            verify(field.input.activeFocus);
            keyClick("a");
            keyClick("b");
            compare(field.text, "ab");
            compare(edited.count, 2);
            keyClick(Qt.Key_Return);
            compare(accepted.count, 1);
        }
        function test_a_field_takes_no_more_than_its_most() {
            mouseClick(field.input);
            for (let i = 0; i < 30; ++i)
                keyClick("x");
            compare(field.text.length, 20);
        }
        function test_the_cross_empties_a_field() {
            mouseClick(field.input);
            keyClick("a");
            mouseClick(field.input, field.input.width - 10, field.input.height / 2);
            compare(field.text, "");
            compare(edited.signalArguments[edited.count - 1][0], "");
        }
        function test_an_error_takes_the_place_of_the_help_and_is_spoken() {
            field.help = "One host a line";
            compare(field.input.Accessible.description, "One host a line");
            field.error = "*.com would open every .com address.";
            compare(field.input.Accessible.description, field.error);
            field.error = "";
        }
        function test_a_combo_is_chosen_from_by_keys() {
            combo.forceActiveFocus(Qt.TabFocusReason);
            compare(combo.currentIndex, 0);
            keyClick(Qt.Key_Down);
            compare(combo.currentText, "a-policy-with-a-long-name");
            keyClick(Qt.Key_Return);
            tryCompare(combo.popup, "opened", true);
            keyClick(Qt.Key_Escape);
            tryCompare(combo.popup, "visible", false);
        }
        function test_a_combo_is_as_wide_as_its_longest_entry() {
            const before = combo.implicitWidth;
            combo.currentIndex = 2;
            compare(combo.implicitWidth, before);
        }
        function test_segments_are_chosen_by_click_and_by_arrows() {
            mouseClick(seg, seg.width - 20, seg.height / 2);
            compare(seg.current, 2);
            compare(chosen.count, 1);
            verify(seg.activeFocus);
            keyClick(Qt.Key_Left);
            compare(seg.current, 1);
            keyClick(Qt.Key_Right);
            keyClick(Qt.Key_Right);
            compare(seg.current, 2);
            compare(chosen.count, 3);
        }
        function test_tabs_are_chosen_by_click_and_by_arrows() {
            mouseClick(tabs, 30, 18);
            compare(tabs.current, 0);
            compare(tabbed.count, 0);
            keyClick(Qt.Key_Right);
            compare(tabs.current, 1);
            compare(tabbed.signalArguments[0][0], 1);
        }
    }
}
