import type { JSX } from "preact";
import { dayIn, endOfDay } from "#domain/calendar.ts";
import { api, take } from "../api/client.ts";
import { useAction } from "../api/use-action.ts";
import { useProgramQuery } from "../api/use-program-query.ts";
import { Card } from "../components/card.tsx";
import { Field, Form, filled, SelectField, TextArea, TextField } from "../components/form.tsx";
import { Loaded, Skeleton } from "../components/states.tsx";
import { zoneTitle } from "../format-time.ts";
import { paramOf, useProgram } from "../session.tsx";
import { useDraft } from "../use-draft.ts";

interface Owner {
  /** Undefined for the program's own offer. */
  readonly groupId?: number;
}

const processors = [
  ["stripe", "Stripe coupon", "The ID of the coupon, not a promotion code."],
  ["paddle", "Paddle discount", "Begins with dsc_."],
  ["lemonSqueezy", "Lemon Squeezy discount", "The code of the discount."],
  ["polar", "Polar discount", "The ID of the discount."],
  ["other", "Other checkout", "The ID that your own checkout uses."],
] as const;

function useOffer({ groupId }: Owner) {
  return useProgramQuery("offer", { groupId }, async ({ param }, init) => {
    const { offer: ofProgram, groups } = api.programs[":programId"];
    const { data } =
      groupId === undefined
        ? await take(ofProgram.$get({ param }, init))
        : await take(groups[":groupId"].offer.$get({ param: { ...param, groupId: String(groupId) } }, init));
    return data;
  });
}
type Saved = NonNullable<ReturnType<typeof useOffer>["data"]>["offer"];
type Given = Exclude<Saved, null | { none: true }>;

export function OfferSetting(owner: Owner): JSX.Element {
  const { mayChange } = useProgram();
  const offer = useOffer(owner);
  return (
    <Card
      title="Customer offer"
      lead={
        owner.groupId === undefined
          ? "The discount that customers get at their first purchase if they come through a partner. Your checkout applies the coupon: Tributary doesn't change prices. Groups can have their own offers."
          : "The discount that customers of these partners get at their first purchase."
      }
    >
      <Loaded query={offer} skeleton={<Skeleton lines={6} />}>
        {({ offer: saved }) =>
          mayChange("admin") ? <OfferForm {...owner} saved={saved} /> : <p>{inWords(owner, saved)}</p>
        }
      </Loaded>
    </Card>
  );
}

const statesOf = ({ groupId }: Owner): readonly (readonly [string, string])[] =>
  groupId === undefined
    ? [
        ["inherited", "No offer"],
        ["given", "An offer"],
      ]
    : [
        ["inherited", "The program's offer"],
        ["given", "The group's own offer"],
        ["none", "No offer"],
      ];

const givenOf = (saved: Saved): Given | undefined => (saved === null || "none" in saved ? undefined : saved);

const stateOf = ({ groupId }: Owner, saved: Saved): string => {
  if (givenOf(saved) !== undefined) return "given";
  return saved === null || groupId === undefined ? "inherited" : "none";
};

function inWords(owner: Owner, saved: Saved): string {
  const state = stateOf(owner, saved);
  return givenOf(saved)?.label ?? statesOf(owner).find(([value]) => value === state)?.[1] ?? "";
}

function OfferForm({ saved, ...owner }: Owner & { readonly saved: Saved }): JSX.Element {
  const { program } = useProgram();
  const { groupId } = owner;
  const given = givenOf(saved);
  const lastDay = given?.until == null ? "" : dayIn(program.timezone, Date.parse(given.until));
  const draft = useDraft(`program ${program.id} offer ${groupId ?? ""}`, {
    state: stateOf(owner, saved),
    "offer.label": given?.label ?? "",
    "offer.details": given?.details ?? "",
    ...Object.fromEntries(processors.map(([name]) => [`offer.couponIds.${name}`, given?.couponIds[name] ?? ""])),
    "offer.until": lastDay,
  });
  const { values } = draft;
  const save = useAction(
    () => {
      const json = { offer: entered() };
      const param = paramOf(program);
      return groupId === undefined
        ? take(api.programs[":programId"].offer.$put({ param, json }))
        : take(
            api.programs[":programId"].groups[":groupId"].offer.$put({
              param: { ...param, groupId: String(groupId) },
              json,
            }),
          );
    },
    {
      failsIn: "form",
      done: "Saved.",
      refreshes: ["offer", "audit"].map((name) => `program ${program.id} ${name}`),
      onDone: draft.markSaved,
    },
  );
  const entered = () => {
    if (values.state === "inherited") return null;
    if (values.state === "none") return { none: true as const };
    const ids = processors.map(([name]) => [name, filled(values[`offer.couponIds.${name}`])] as const);
    return {
      label: values["offer.label"] ?? "",
      details: filled(values["offer.details"]) ?? null,
      couponIds: Object.fromEntries(ids.filter(([, id]) => id !== undefined)),
      until: untilEntered(filled(values["offer.until"])),
    };
  };
  /**
   * If the user doesn't change the day, keeps the stored instant, which the API may have set to any time of the day.
   */
  const untilEntered = (day: string | undefined): string | null => {
    if (day === undefined) return null;
    return day === lastDay ? (given?.until ?? null) : new Date(endOfDay(program.timezone, day) - 1).toISOString();
  };
  return (
    <Form action={save} submit="Save offer" draft={draft}>
      <SelectField name="state" label="Offer" options={statesOf(owner)} />
      {values.state === "given" && (
        <>
          <TextField
            name="offer.label"
            label="Text for customers"
            hint="For example “20% off your first year”, up to 80 characters."
          />
          <TextArea name="offer.details" label="Conditions" hint="Up to 500 characters." isOptional />
          <div class="columns">
            {processors.map(([name, label, hint]) => (
              <TextField key={name} name={`offer.couponIds.${name}`} label={label} hint={hint} isOptional />
            ))}
          </div>
          <Field
            name="offer.until"
            label="Last day"
            hint={`For new customers, in ${zoneTitle(program.timezone)}.`}
            isOptional
            control={(wiring) => <input {...wiring} type="date" class="control" value={values["offer.until"]} />}
          />
        </>
      )}
    </Form>
  );
}
