import QtQuick
import QtTest
import Belljar

Item {
    id: scene
    width: 600
    height: 400

    Btn { id: btn; text: "Start"; why: "" }
    IconBtn { id: icon; x: 200; glyph: "close"; text: "Close" }
    Chk { id: chk; x: 300; text: "on" }
    Chip { id: chip; y: 60; text: "*.crates.example"; removable: true }
    Chip { id: choice; y: 100; text: "claude" }
    Banner { id: banner; y: 200; width: 600; text: "The contact is lost."; action: "Try again" }
    EmptyState { id: empty; y: 260; width: 600; height: 120; title: "Nothing was denied yet."; action: "Read again" }

    SignalSpy { id: pressed; target: btn; signalName: "clicked" }
    SignalSpy { id: closed; target: icon; signalName: "clicked" }
    SignalSpy { id: removed; target: chip; signalName: "removed" }
    SignalSpy { id: acted; target: banner; signalName: "acted" }
    SignalSpy { id: emptyActed; target: empty; signalName: "acted" }

    TestCase {
        name: "Buttons"
        when: windowShown

        function init() {
            for (const spy of [pressed, closed, removed, acted, emptyActed])
                spy.clear();
            btn.enabled = true;
            btn.text = "Start";
        }

        function test_a_click_and_the_keys_press_a_button() {
            mouseClick(btn);
            compare(pressed.count, 1);
            chk.forceActiveFocus();
            btn.forceActiveFocus(Qt.TabFocusReason);
            verify(btn.visualFocus);
            keyClick(Qt.Key_Space);
            keyClick(Qt.Key_Return);
            keyClick(Qt.Key_Enter);
            compare(pressed.count, 4);
        }
        function test_a_button_that_is_off_does_nothing() {
            btn.enabled = false;
            mouseClick(btn);
            compare(pressed.count, 0);
        }
        function test_a_button_grows_with_its_text() {
            const before = btn.width;
            btn.text = "Sitzung jetzt neu starten";
            tryVerify(() => btn.width > before + 60);
        }
        function test_tab_goes_from_control_to_control() {
            btn.forceActiveFocus(Qt.TabFocusReason);
            keyClick(Qt.Key_Tab);
            verify(icon.activeFocus);
            keyClick(Qt.Key_Return);
            compare(closed.count, 1);
            keyClick(Qt.Key_Tab);
            verify(chk.activeFocus);
            const was = chk.checked;
            keyClick(Qt.Key_Space);
            compare(chk.checked, !was);
        }
        function test_a_chip_goes_by_its_cross_and_by_the_delete_key() {
            mouseClick(chip, chip.width - 12, chip.height / 2);
            compare(removed.count, 1);
            chip.forceActiveFocus(Qt.TabFocusReason);
            keyClick(Qt.Key_Delete);
            compare(removed.count, 2);
        }
        function test_what_has_no_words_has_a_name() {
            compare(icon.Accessible.name, "Close");
            compare(btn.Accessible.name, "Start");
            compare(chk.Accessible.name, "on");
        }
        function test_a_banner_and_an_empty_state_offer_their_action() {
            mouseClick(banner, banner.width - 50, banner.height / 2);
            compare(acted.count, 1);
            banner.text = "";
            verify(!banner.visible);
            compare(banner.implicitHeight, 0);
            const button = findButton(empty, "Read again");
            mouseClick(button);
            compare(emptyActed.count, 1);
        }
        function findButton(item, text) {
            for (let i = 0; i < item.children.length; ++i) {
                const child = item.children[i];
                if (child.text === text && child.clicked !== undefined) return child;
                const below = findButton(child, text);
                if (below) return below;
            }
            return null;
        }
    }
}
