import { writeDecimal } from "#domain/currency.ts";
import { isSepaIban } from "#domain/payee-account.ts";
import { type Layout, lineId, type PayFile } from "./formats.ts";

const pairs = (text: string): (readonly [string, string])[] =>
  text
    .trim()
    .split(/\s+/)
    .map((pair) => [pair.slice(0, 1), pair.slice(1)]);

/**
 * The text that replaces a character. Bulgarian and Greek letters are transliterated according to EPC217-08. Accents
 * are removed first.
 */
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

/**
 * True if the name contains a letter or digit and all letters can be written in Latin. Banks compare the payee's name
 * with the name of the account.
 */
const isWritable = (name: string): boolean =>
  /[A-Za-z0-9]/.test(sepaText(name, name.length)) && !/(?![A-Za-z])\p{L}/u.test(inLatin(name));

/** Reduces the text to characters that every SEPA bank accepts. None of them has a meaning in XML. */
const sepaText = (text: string, maxLength: number): string =>
  inLatin(text)
    .replaceAll(/[^A-Za-z0-9/?:().,'+-]+/g, " ")
    .replaceAll(/\/{2,}/g, "/")
    .replaceAll(/^[ /]+/g, "")
    .slice(0, maxLength)
    .replace(/[ /]+$/, "");

/** Limit of one transfer: 999,999,999.99. */
const maxCents = 99_999_999_999;

const maxName = 70;

const euros = (cents: number): string => writeDecimal(cents, 2);

const bankOf = (bic: string | null): string =>
  bic === null ? "<Othr><Id>NOTPROVIDED</Id></Othr>" : `<BICFI>${bic}</BICFI>`;

const start = `<?xml version="1.0" encoding="UTF-8"?>
<Document xmlns="urn:iso:std:iso:20022:tech:xsd:pain.001.001.09">
<CstmrCdtTrfInitn>
`;
const foot = "</CstmrCdtTrfInitn>\n</Document>\n";

/** A file without payments, as an example in documents. */
export const emptySepa = start + foot;

/**
 * The file's id is the same whenever the file is generated, so that a bank recognizes a file that was uploaded before.
 */
function headOf({ programId, payoutId, payer, lineCount, totalCents, createdAt, day }: PayFile): string {
  if (payer === null) throw new Error("a SEPA file names the account that pays");
  const id = `PAYOUT-${programId.toString(36)}-${payoutId.toString(36)}`;
  const name = sepaText(payer.name, maxName) || id;
  const sums = `<NbOfTxs>${lineCount}</NbOfTxs><CtrlSum>${euros(totalCents)}</CtrlSum>`;
  return `${start}<GrpHdr><MsgId>${id}</MsgId><CreDtTm>${new Date(createdAt).toISOString().slice(0, 19)}Z</CreDtTm>${sums}<InitgPty><Nm>${name}</Nm></InitgPty></GrpHdr>
<PmtInf>
<PmtInfId>${id}</PmtInfId><PmtMtd>TRF</PmtMtd>${sums}
<PmtTpInf><SvcLvl><Cd>SEPA</Cd></SvcLvl></PmtTpInf>
<ReqdExctnDt><Dt>${day}</Dt></ReqdExctnDt>
<Dbtr><Nm>${name}</Nm></Dbtr>
<DbtrAcct><Id><IBAN>${payer.iban}</IBAN></Id></DbtrAcct>
<DbtrAgt><FinInstnId>${bankOf(payer.bic)}</FinInstnId></DbtrAgt>
<ChrgBr>SLEV</ChrgBr>
`;
}

/** ISO 20022 pain.001.001.09 by the rules of the European Payments Council for SEPA credit transfers. */
export const sepa: Layout = {
  method: "bank",
  contentType: "application/xml; charset=utf-8",
  extension: "xml",
  needsPayer: true,
  linesPerFile: 10_000,
  takesCurrency: (currency) => currency === "EUR",
  faultOf({ amountCents, details }) {
    if (amountCents > maxCents) return "amount";
    if (!isSepaIban(details.account)) return "account";
    return isWritable(details.holder) ? undefined : "name";
  },
  partsOf: (file) => ({
    head: headOf(file),
    line: (line) => {
      const { amountCents, partnerCode, details } = line;
      const name = sepaText(details.holder, maxName);
      const purpose = sepaText(`${file.reference} ${partnerCode}`, 140);
      return `<CdtTrfTxInf><PmtId><EndToEndId>${lineId(file, line)}</EndToEndId></PmtId><Amt><InstdAmt Ccy="EUR">${euros(amountCents)}</InstdAmt></Amt><Cdtr><Nm>${name}</Nm></Cdtr><CdtrAcct><Id><IBAN>${details.account}</IBAN></Id></CdtrAcct><RmtInf><Ustrd>${purpose}</Ustrd></RmtInf></CdtTrfTxInf>
`;
    },
    foot: `</PmtInf>\n${foot}`,
  }),
};
