// What each word of the verdicts, proofs and states looks like: shape first, then the word, then the colour. Solid acts on a person,
// an outline is a fact, dashes are not whole. The words come from the record and the helper; an unknown one is shown as it is.
import QtQuick
import Belljar

QtObject {
    id: signs
    required property string word

    readonly property string glyph: {
        switch (word) {
        case "allowed-by-policy": return "given";
        case "inconclusive": return "unsure";
        case "not-applicable": return "na";
        case "not-enforced": return "absent";
        case "waiting": return "held";
        case "allowed": case "denied": case "held": case "expired": case "contained": case "breached": case "sealed": case "anchored":
        case "unsealed": case "broken": case "missing": case "enforced": case "weaker": case "starting": case "running": case "ended":
        case "lost":
            return word;
        default: return "dot";
        }
    }
    readonly property bool solid: word === "held" || word === "waiting" || word === "breached" || word === "broken"
    readonly property color tint: {
        switch (word) {
        case "allowed": case "contained": case "sealed": case "anchored": case "enforced": case "running": return Theme.hold;
        case "denied": return Theme.refuse;
        case "held": case "waiting": return Theme.waitFill;
        case "breached": case "broken": return Theme.failFill;
        case "missing": case "lost": return Theme.fail;
        case "inconclusive": case "unsealed": case "weaker": return Theme.unsure;
        case "expired": case "not-applicable": case "not-enforced": case "ended": return Theme.fg2;
        default: return Theme.fg1;
        }
    }
    readonly property bool waits: word === "held" || word === "waiting"
    readonly property color ink: waits ? Theme.inkWait : solid ? Theme.inkFail : "transparent"
    readonly property color rim: waits && !Theme.dark ? Theme.waitMark : "transparent"
    readonly property color textColor: {
        switch (word) {
        case "denied": return Theme.refuse;
        case "held": case "waiting": return Theme.wait;
        case "breached": case "broken": case "missing": case "lost": return Theme.fail;
        case "inconclusive": case "unsealed": case "weaker": return Theme.unsure;
        case "expired": case "not-applicable": case "ended": return Theme.fg2;
        default: return Theme.fg1;
        }
    }
    readonly property string text: {
        switch (word) {
        case "allowed": return qsTr("Allowed");
        case "denied": return qsTr("Denied");
        case "held": return qsTr("Held");
        case "expired": return qsTr("Expired");
        case "contained": return qsTr("Contained");
        case "breached": return qsTr("Breached");
        case "allowed-by-policy": return qsTr("Allowed by policy");
        case "inconclusive": return qsTr("Inconclusive");
        case "not-applicable": return qsTr("Not applicable");
        case "sealed": return qsTr("Sealed");
        case "anchored": return qsTr("Sealed, anchored");
        case "unsealed": return qsTr("Unsealed");
        case "broken": return qsTr("Broken");
        case "missing": return qsTr("Missing");
        case "enforced": return qsTr("Enforced");
        case "weaker": return qsTr("Weaker");
        case "not-enforced": return qsTr("Not enforced");
        case "starting": return qsTr("Starting");
        case "running": return qsTr("Running");
        case "waiting": return qsTr("Waits for you");
        case "ended": return qsTr("Ended");
        case "lost": return qsTr("Lost");
        default: return word;
        }
    }
}
