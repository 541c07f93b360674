import type { JSX } from "preact";
import { type Action, errorMessage } from "../../api/use-action.ts";
import { Button } from "../../components/button.tsx";
import { Notice } from "../../components/notice.tsx";
import { formatMoney } from "../../format.ts";
import { formatInstant } from "../../format-time.ts";
import { statusLabels } from "../../outcome-labels.ts";
import { useProgram } from "../../session.tsx";
import { PartnerOfCode } from "./partner-of-code.tsx";

interface State {
  readonly transactionId: string;
  readonly customerKey: string | null;
  readonly amountCents: number;
  readonly refundedCents: number;
  readonly currency: string;
  readonly occurredAt: string;
  readonly partnerCode: string | null;
  readonly commission: {
    readonly status: keyof typeof statusLabels;
    readonly amountCents: number;
    readonly currency: string;
  };
}

export interface Corrected {
  readonly before: State;
  readonly after: State;
}

interface CorrectionPreviewProps {
  readonly preview: Corrected;
  readonly correct: Action<undefined, unknown>;
  readonly onBack: () => void;
}

export function CorrectionPreview({ preview, correct, onBack }: CorrectionPreviewProps): JSX.Element {
  const { program } = useProgram();
  const before = linesOf(preview.before, program.timezone);
  const after = linesOf(preview.after, program.timezone);
  return (
    <>
      <dl class="facts correction">
        {before.map(([name, was], i) => (
          <CorrectedFact key={name} name={name} was={was} is={after[i]?.[1] ?? ""} />
        ))}
      </dl>
      <p class="soft breakable">
        Sale {preview.before.transactionId} stays on record as corrected. {preview.after.transactionId} counts instead
        in all figures. On statements, the old commission is taken back today. You can't undo this, but you can correct
        the new sale.
      </p>
      {correct.failure && <Notice look="bad">{errorMessage(correct.failure)}</Notice>}
      <div class="row">
        <Button look="primary" isPending={correct.isPending} onClick={() => correct.run(undefined)}>
          Correct sale
        </Button>
        <Button onClick={onBack}>Back</Button>
      </div>
    </>
  );
}

type Line = readonly [name: string, value: string];

const partnerLine = "Partner";
const none = "None";

function linesOf({ commission, ...sale }: State, timezone: string): readonly Line[] {
  return [
    ["Revenue", formatMoney(sale.amountCents, sale.currency)],
    ...(sale.refundedCents > 0 ? [["Refunded", formatMoney(sale.refundedCents, sale.currency)] as const] : []),
    ["Customer", sale.customerKey ?? none],
    ["Date", formatInstant(sale.occurredAt, timezone)],
    [partnerLine, sale.partnerCode ?? none],
    ["Commission", formatMoney(commission.amountCents, commission.currency)],
    ["Status", statusLabels[commission.status]],
  ];
}

interface CorrectedFactProps {
  readonly name: string;
  readonly was: string;
  readonly is: string;
}

/** The preview contains only the partner's code, so the name is read separately. */
const Value = ({ name, value }: { readonly name: string; readonly value: string }): JSX.Element =>
  name === partnerLine && value !== none ? <PartnerOfCode code={value} meanwhile={value} /> : <bdi>{value}</bdi>;

const CorrectedFact = ({ name, was, is }: CorrectedFactProps): JSX.Element => (
  <>
    <dt>{name}</dt>
    <dd class="breakable">
      {was === is ? (
        <Value name={name} value={is} />
      ) : (
        <>
          <span class="soft">
            <Value name={name} value={was} />
          </span>{" "}
          <span aria-hidden="true">→</span>
          <span class="unseen"> changes to </span>{" "}
          <strong>
            <Value name={name} value={is} />
          </strong>
        </>
      )}
    </dd>
  </>
);
