const pairs = (text: string): (readonly [string, string])[] =>
  text
    .trim()
    .split(/\s+/)
    .map((pair) => [pair.slice(0, 1), pair.slice(1)]);

/** In Latin letters, those of Bulgaria and Greece as EPC217-08 has them. Without accents, which are dropped before. */
const written: ReadonlyMap<string, string> = new Map(
  pairs(`
    ßss æae œoe øo đd ðd þth łl ħh ıi ŋn
    αa βv γg δd εe ζz ηi θth ιi κk λl μm νn ξx οo πp ρr σs ςs τt υy φf χch ψps ωo
    аa бb вv гg дd еe жzh зz иi кk лl мm нn оo пp рr сs тt уu фf хh цts чch шsh щsht ъa ыy ьy эe юyu яya
    іi ђdj јj љlj њnj ћc џdz єe ґg ўu ѓg ќk ѕz
    &+ _- –- —- ‘' ’' ‚' “' ”' „' "' \`' ʹ' ʻ' ʼ' ʾ' ʿ'
  `),
);

function latin(character: string): string {
  const lower = character.toLowerCase();
  const found = written.get(lower);
  if (found === undefined || lower === character) return found ?? character;
  return found.charAt(0).toUpperCase() + found.slice(1);
}

const inLatin = (text: string): string => Array.from(text.normalize("NFKD").replaceAll(/\p{M}+/gu, ""), latin).join("");

/** True if it says something, and no letter is lost. Banks compare a payee's name with that of the account. */
export const isWritable = (name: string): boolean =>
  /[A-Za-z0-9]/.test(sepaText(name, name.length)) && !/(?![A-Za-z])\p{L}/u.test(inLatin(name));

/** In the characters that every bank of the SEPA takes. None of them has a meaning in XML. */
export const sepaText = (text: string, maxLength: number): string =>
  inLatin(text)
    .replaceAll(/[^A-Za-z0-9/?:().,'+-]+/g, " ")
    .replaceAll(/\/{2,}/g, "/")
    .replaceAll(/^[ /]+/g, "")
    .slice(0, maxLength)
    .replace(/[ /]+$/, "");
