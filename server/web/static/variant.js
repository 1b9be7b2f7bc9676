// What was agreed for a game, in print: the few options by which regulars tell one house from another.

import { t, tn } from "./words.js";

const STAKES = { fixed: (n) => t("stake {n}", { n }), capped: (n) => t("stake up to {n}", { n }), free: () => t("free stake") };
const HOUSES = { shop: t("rules of the shop"), home: t("rules of the home"), club: t("rules of the club") };
const ENDINGS = { reach: t("1000 or more wins"), above: t("more than 1000 wins"), exact: t("exactly 1000 wins"), barrel: t("won from the final barrel") };

const bank = (options) => [
  STAKES[options.bet_mode](options.bet),
  options.stake_returned ? t("stake returned") : t("stake stays with the bank"),
  options.fourteen === "exactly" && t("fourteen exactly"),
  options.games > 1 && tn("{n} game", "{n} games", options.games),
];

const VARIANTS = {
  "vingt-six": bank,
  quatorze: bank,
  "vingt-cinq": (options) => [tn("{n} life point", "{n} life points", options.life), options.attack_again && t("five aside attack again")],
  421: (options) => [tn("{n} fiche", "{n} fiches", Number(options.version)), tn("{n} manche", "{n} manches", options.manches), options.le_bon !== "off" && t("“le bon” is played")],
  thousand: (options) => [HOUSES[options.preset], ENDINGS[options.ending], options.entry > 5 && t("in with {n}", { n: options.entry })],
};

export const variant = (game) => VARIANTS[game.game](game.options).filter(Boolean).join(" · ");
