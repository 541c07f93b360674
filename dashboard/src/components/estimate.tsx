import "./estimate.css";
import type { JSX, TargetedSubmitEvent } from "preact";
import { useId, useState } from "preact/hooks";
import { type Unit, unitText } from "#domain/units.ts";
import { Failure, fieldError } from "../api/failure.ts";
import { formatMoney } from "../format.ts";
import { parseMoney, parseWhole } from "../forms/parse-numbers.ts";
import { locale } from "../locale.ts";
import { Button } from "./button.tsx";

interface Asked {
  readonly amountCents: number;
  readonly currency: string;
  readonly interval?: Interval;
  readonly months: number;
}

interface Estimated {
  readonly amounts: readonly { readonly month: number; readonly amountCents: number }[];
  readonly currency: string;
  readonly unit: Unit | null;
  readonly steps: readonly { readonly month: number; readonly text: string }[];
}

interface EstimateProps {
  /** The program's currency. */
  readonly currency: string;
  readonly ask: (asked: Asked) => Promise<{ readonly data: Estimated }>;
  readonly failureText: (failure: Failure) => string;
}

/** For each interval, the noun for the time between two payments and the number of payments to suggest. */
const intervals = {
  monthly: { title: "Every month", noun: "month", payments: "12" },
  quarterly: { title: "Every quarter", noun: "quarter", payments: "4" },
  annual: { title: "Every year", noun: "year", payments: "3" },
} as const;
type Interval = keyof typeof intervals;

const isInterval = (text: string): text is Interval => Object.hasOwn(intervals, text);

/** The largest amount and number of months that the service accepts. */
const largest = { amountCents: 10 ** 11, months: 60 };

interface Result {
  readonly asked: Asked;
  readonly estimated: Estimated;
}

/** Asks for a price and shows what the partner would earn from a new customer who pays it. */
export function Estimate({ currency, ask, failureText }: EstimateProps): JSX.Element {
  const [interval, setInterval] = useState<Interval>();
  const [isPending, setIsPending] = useState(false);
  const [failure, setFailure] = useState<Failure>();
  const [result, setResult] = useState<Result>();
  const onSubmit = async (event: TargetedSubmitEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    if (isPending) return;
    setIsPending(true);
    setFailure(undefined);
    try {
      const asked = askedIn(new FormData(form), currency);
      setResult({ asked, estimated: (await ask(asked)).data });
    } catch (error) {
      const failed = Failure.of(error);
      setFailure(failed);
      setResult(undefined);
      form.querySelector<HTMLElement>(`[name="${failed.fieldErrors[0]?.path}"]`)?.focus();
    } finally {
      setIsPending(false);
    }
  };
  const faultOf = (name: string) => failure?.fieldErrors.find(({ path }) => path === name)?.message;
  return (
    <>
      <form class="estimate" noValidate onSubmit={(event) => void onSubmit(event)}>
        <NumberField name="amountCents" label={`Price in ${currency}`} fault={faultOf("amountCents")} />
        <IntervalField onChoose={setInterval} />
        {interval !== undefined && (
          <NumberField
            key={interval}
            name="months"
            label={`Number of ${intervals[interval].noun}s`}
            value={intervals[interval].payments}
            fault={faultOf("months")}
          />
        )}
        <Button type="submit" isPending={isPending}>
          Calculate
        </Button>
      </form>
      <div role="status" class="estimate-result">
        {failure !== undefined && failure.fieldErrors.length === 0 && <p class="fault">{failureText(failure)}</p>}
        {result !== undefined && <Earnings {...result} />}
      </div>
    </>
  );
}

/** Throws a failure that names the field if an entry is invalid. */
function askedIn(form: FormData, currency: string): Asked {
  const text = (name: string) => String(form.get(name) ?? "");
  const cents = parseMoney(text("amountCents"), currency, "amountCents");
  const amountCents = within(cents, "amountCents", (value) => formatMoney(value, currency));
  const interval = text("interval");
  if (!isInterval(interval)) return { amountCents, currency, months: 1 };
  const months = within(parseWhole(text("months"), "months"), "months", String);
  return { amountCents, currency, interval, months };
}

function within(value: number, name: keyof typeof largest, textOf: (value: number) => string): number {
  if (value >= 1 && value <= largest[name]) return value;
  throw fieldError(name, `Enter a value from ${textOf(1)} to ${textOf(largest[name])}.`);
}

interface NumberFieldProps {
  readonly name: string;
  readonly label: string;
  readonly value?: string;
  readonly fault: string | undefined;
}

function NumberField({ name, label, value = "", fault }: NumberFieldProps): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        name={name}
        class="control"
        inputMode="decimal"
        autocomplete="off"
        defaultValue={value}
        aria-invalid={fault !== undefined}
        aria-describedby={fault && `${id}-fault`}
      />
      {fault && (
        <p class="fault" id={`${id}-fault`}>
          {fault}
        </p>
      )}
    </div>
  );
}

function IntervalField({ onChoose }: { readonly onChoose: (interval: Interval | undefined) => void }): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>The customer pays</label>
      <select
        id={id}
        name="interval"
        class="control"
        onInput={({ currentTarget: { value } }) => onChoose(isInterval(value) ? value : undefined)}
      >
        <option value="">Once</option>
        {Object.entries(intervals).map(([name, { title }]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </select>
    </div>
  );
}

function Earnings({ asked, estimated }: Result): JSX.Element {
  const { amounts, unit, currency } = estimated;
  const money = (cents: number) => (unit === null ? formatMoney(cents, currency) : unitText(cents, unit, locale));
  const total = amounts.reduce((sum, { amountCents }) => sum + amountCents, 0);
  const payments = amounts.length === 1 ? "one payment" : `${amounts.length} payments`;
  return (
    <>
      <p>
        You would earn <strong>{total === 0 ? "nothing" : money(total)}</strong> from {payments} of{" "}
        {formatMoney(asked.amountCents, asked.currency)}.
      </p>
      <table class="estimate-table">
        <caption class="unseen">What you would earn from each payment</caption>
        <thead>
          <tr>
            <th scope="col">Payment</th>
            <th scope="col">You earn</th>
            <th scope="col">Why</th>
          </tr>
        </thead>
        <tbody>
          {rangesOf(estimated).map(({ from, to, amountCents, texts }) => (
            <tr key={from}>
              <th scope="row">{rangeText(asked.interval, from, to)}</th>
              <td>
                {money(amountCents)}
                {from < to && amountCents > 0 && " each"}
              </td>
              <td>
                {texts.map((text) => (
                  <p key={text}>{text}</p>
                ))}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}

function rangeText(interval: Interval | undefined, from: number, to: number): string {
  if (interval === undefined) return "Once";
  const { noun } = intervals[interval];
  const title = `${noun.charAt(0).toUpperCase()}${noun.slice(1)}`;
  return from === to ? `${title} ${from}` : `${title}s ${from}–${to}`;
}

/**
 * Groups consecutive payments that have the same steps. Payments are counted from 1. The first step describes the sale
 * itself, so it isn't shown.
 */
function rangesOf({ amounts, steps }: Estimated) {
  const begins = [...new Set(steps.map(({ month }) => month))];
  return begins.map((month, index) => {
    const from = amounts.findIndex((amount) => amount.month === month);
    const next = amounts.findIndex((amount) => amount.month === begins[index + 1]);
    const [, ...explained] = steps.filter((step) => step.month === month);
    const amountCents = amounts[from]?.amountCents ?? 0;
    return {
      from: from + 1,
      to: next === -1 ? amounts.length : next,
      amountCents,
      texts: explained.map(({ text }) => text),
    };
  });
}
