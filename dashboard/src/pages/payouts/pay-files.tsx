import type { JSX } from "preact";
import { api, take } from "../../api/client.ts";
import { useProgramQuery } from "../../api/use-program-query.ts";
import { Card } from "../../components/card.tsx";
import { Money } from "../../components/numbers.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { currencyName, pluralize } from "../../format.ts";
import { useProgram } from "../../session.tsx";
import { programAddress } from "../../url.ts";
import { FileButton } from "./file-button.tsx";
import { Named, wiseNeedsName } from "./no-way-to-pay.tsx";
import type { Line, PayoutWithLines } from "./queries.ts";

function usePayFiles(payoutId: number) {
  return useProgramQuery("payout files", payoutId, async ({ param }, init) => {
    const path = api.programs[":programId"].payouts[":payoutId"].files;
    return (await take(path.$get({ param: { ...param, payoutId: String(payoutId) } }, init))).data;
  });
}
type Files = NonNullable<ReturnType<typeof usePayFiles>["data"]>;
type PayFile = Files["files"][number];
type Refused = Files["refused"][number];

const titles: Readonly<Record<PayFile["format"], string>> = {
  paypal: "PayPal",
  wise: "Wise",
  sepa: "Bank (SEPA)",
};

const reasons = {
  paypal: {
    account: "PayPal refuses the address",
    amount: "PayPal takes only whole amounts in this currency",
    name: "PayPal refuses the name",
  },
  wise: {
    account: "Wise refuses the address",
    amount: "the amount is too large for Wise",
    name: wiseNeedsName,
  },
  sepa: {
    account: "the IBAN is of a country outside the SEPA",
    amount: "the amount is too large for a bank file",
    name: "banks can't write all letters of the holder's name",
  },
} as const satisfies Readonly<Record<PayFile["format"], Readonly<Record<Refused["reason"], string>>>>;

interface PayFilesProps {
  readonly payout: Pick<PayoutWithLines, "id" | "status" | "lines">;
}

export default function PayFiles({ payout: { id, status, lines } }: PayFilesProps): JSX.Element {
  const found = usePayFiles(id);
  const isPaid = status === "paid";
  return (
    <Card
      title={isPaid ? "Payment files" : "Pay by file"}
      lead={
        !isPaid && found.data?.files.some(({ lineCount }) => lineCount > 0)
          ? "Upload a file to PayPal, Wise or your bank, which then pays all its lines."
          : undefined
      }
    >
      <Loaded query={found} skeleton={<Skeleton lines={3} />}>
        {(files) => <FileList payoutId={id} lines={lines} found={files} isPaid={isPaid} />}
      </Loaded>
    </Card>
  );
}

interface FileListProps {
  readonly payoutId: number;
  readonly lines: readonly Line[];
  readonly found: Files;
  readonly isPaid: boolean;
}

function FileList({ payoutId, lines, found, isPaid }: FileListProps): JSX.Element {
  const { currency, files, rest, refused } = found;
  const used = files.filter(({ lineCount }) => lineCount > 0);
  return (
    <>
      {used.length > 0 && (
        <dl class="facts">
          {used.map((file) => (
            <>
              <dt key={file.format}>{titles[file.format]}</dt>
              <dd class="row">
                <span>
                  {pluralize(file.lineCount, "partner")}, <Money amountCents={file.amountCents} currency={currency} />
                </span>
                <File payoutId={payoutId} file={file} currency={currency} />
              </dd>
            </>
          ))}
        </dl>
      )}
      {rest.lineCount > 0 && !isPaid && (
        <p class="soft">
          {pluralize(rest.lineCount, "partner")}, <Money amountCents={rest.amountCents} currency={currency} />,{" "}
          {rest.lineCount === 1 ? "is" : "are"} in no file. The payment list has all partners.
        </p>
      )}
      {refused.length > 0 && (
        <ul class="soft">
          {refused.map(({ format, reason, lineCount, partners }) => (
            <li key={`${format} ${reason}`}>
              <Named lines={lines.filter(({ partnerId }) => partners.some(({ id }) => id === partnerId))} />
              {lineCount > partners.length && ` and ${lineCount - partners.length} more`}: {reasons[format][reason]}.
            </li>
          ))}
        </ul>
      )}
      {used.length === 0 && rest.lineCount === 0 && <p class="soft">No payment is left to send.</p>}
    </>
  );
}

interface FileProps {
  readonly payoutId: number;
  readonly file: PayFile;
  readonly currency: string;
}

function File({ payoutId, file: { format, parts, unavailable }, currency }: FileProps): JSX.Element {
  const { program } = useProgram();
  const title = titles[format];
  if (unavailable === "no_payer") {
    return (
      <p class="soft">
        <a href={`${programAddress(program.id, "settings")}?section=payouts`}>Add your bank account</a> to get the file.
      </p>
    );
  }
  if (unavailable === "currency") {
    const why =
      format === "sepa"
        ? "Bank files (SEPA) are in EUR only"
        : `${title} doesn't accept files in ${currencyName(currency)}`;
    return <p class="soft">{why}: see the payment list.</p>;
  }
  return (
    <div class="row">
      {parts.map((_, i) => (
        <FileButton
          key={i}
          payoutId={payoutId}
          title={parts.length === 1 ? `${title} file` : `${title} file ${i + 1} of ${parts.length}`}
          query={{ format, part: String(i + 1) }}
        />
      ))}
    </div>
  );
}
