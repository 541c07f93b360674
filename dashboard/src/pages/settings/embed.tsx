import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { type EmbedTheme, embedFonts, maxOrigins, maxRadius } from "#domain/embed-settings.ts";
import { api, take } from "../../api/client.ts";
import { fieldError } from "../../api/failure.ts";
import { useAction } from "../../api/use-action.ts";
import { useProgramQuery } from "../../api/use-program-query.ts";
import { Button } from "../../components/button.tsx";
import { Card } from "../../components/card.tsx";
import { Code } from "../../components/copy.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Form, filled, SelectField, TextArea, TextField, type Values } from "../../components/form.tsx";
import { Notice } from "../../components/notice.tsx";
import { Loaded, Skeleton } from "../../components/states.tsx";
import { Instant } from "../../components/time.tsx";
import { parseWhole } from "../../forms/parse-numbers.ts";
import { paramOf, useProgram } from "../../session.tsx";
import { useDraft } from "../../use-draft.ts";

function useEmbed() {
  return useProgramQuery("embed", {}, async ({ param }, init) => {
    return (await take(api.programs[":programId"].embed.$get({ param }, init))).data;
  });
}
type Embed = NonNullable<NonNullable<ReturnType<typeof useEmbed>["data"]>>;

export function EmbedSettings(): JSX.Element {
  const embed = useEmbed();
  return (
    <div class="settings">
      <Card
        title="Referral page in your product"
        lead="Signed-in users of your product get a link to share and see their figures, without a Tributary account. Your backend requests a token for the user, and your page shows the referral page in a frame."
      >
        <Loaded query={embed} skeleton={<Skeleton lines={10} />}>
          {(found) => <EmbedForm embed={found} />}
        </Loaded>
      </Card>
      {embed.data && (
        <>
          <Snippet embed={embed.data} />
          <Tokens embed={embed.data} />
        </>
      )}
    </div>
  );
}

const fonts: readonly (readonly [string, string])[] = [
  ["", "Default"],
  ["system", "System"],
  ["serif", "Serif"],
  ["mono", "Monospace"],
];

const shownOrNot = [
  ["yes", "Shown"],
  ["no", "Hidden"],
] as const;

const colors = [
  ["accent", "Accent color"],
  ["background", "Background color"],
  ["text", "Text color"],
] as const satisfies readonly (readonly [keyof EmbedTheme, string])[];

const refreshed = (programId: number): string[] => ["embed", "audit"].map((name) => `program ${programId} ${name}`);

function EmbedForm({ embed }: { readonly embed: Embed | null }): JSX.Element {
  const { program } = useProgram();
  const draft = useDraft(`program ${program.id} embed`, initialValues(embed));
  const save = useAction(
    async () => take(api.programs[":programId"].embed.$put({ param: paramOf(program), json: read(draft.values) })),
    { failsIn: "form", done: "Saved.", refreshes: refreshed(program.id), onDone: draft.markSaved },
  );
  return (
    <Form action={save} submit="Save" draft={draft}>
      <TextArea
        name="origins"
        label="Origins of your product"
        hint={`One per line, such as https://app.example, or http://localhost:3000 for development. Up to ${maxOrigins}. Only pages of these origins can show the referral page: without an origin, no page can.`}
        isOptional
      />
      <div class="columns">
        <SelectField name="commissions" label="Commissions" options={shownOrNot} />
        <SelectField name="payouts" label="Payouts" options={shownOrNot} />
        <SelectField
          name="claims"
          label="Reports of missing sales"
          hint="Users report a sale that is missing, and you answer under Partners › Claims."
          options={shownOrNot}
        />
        <SelectField name="font" label="Font" options={fonts} />
        {colors.map(([name, label]) => (
          <TextField key={name} name={`theme.${name}`} label={label} hint="For example: #1f6feb" isOptional />
        ))}
        <TextField
          name="theme.radius"
          label="Radius of corners"
          unit="px"
          inputMode="numeric"
          hint={`0 to ${maxRadius}.`}
          isOptional
        />
      </div>
      <p class="hint">Without colors, the page follows the visitor's light or dark mode.</p>
    </Form>
  );
}

function initialValues(embed: Embed | null): Values {
  const { origins = [], theme, show = { commissions: true, payouts: true, claims: false } } = embed ?? {};
  return {
    origins: origins.join("\n"),
    commissions: show.commissions ? "yes" : "no",
    payouts: show.payouts ? "yes" : "no",
    claims: show.claims ? "yes" : "no",
    font: theme?.font ?? "",
    ...Object.fromEntries(colors.map(([name]) => [`theme.${name}`, theme?.[name] ?? ""])),
    "theme.radius": theme?.radius == null ? "" : String(theme.radius),
  };
}

function read(values: Values) {
  const color = (name: string) => filled(values[`theme.${name}`]) ?? null;
  const radius = filled(values["theme.radius"]);
  return {
    origins: (values.origins ?? "").split(/[\s,]+/).filter(Boolean),
    theme: {
      accent: color("accent"),
      background: color("background"),
      text: color("text"),
      radius: radius === undefined ? null : readRadius(radius),
      font: embedFonts.find((font) => font === values.font) ?? null,
    },
    show: {
      commissions: values.commissions === "yes",
      payouts: values.payouts === "yes",
      claims: values.claims === "yes",
    },
  };
}

function readRadius(text: string): number {
  const radius = parseWhole(text, "theme.radius");
  if (radius > maxRadius) throw fieldError("theme.radius", `Enter a whole number from 0 to ${maxRadius}.`);
  return radius;
}

const Snippet = ({ embed: { embedId, origins } }: { readonly embed: Embed }): JSX.Element => (
  <Card
    title="Show the page"
    lead="Call this on your own page. fetchToken calls your backend, which uses an API key to request a token for the signed-in user."
  >
    {origins.length === 0 && (
      <Notice look="warn">No page can show the referral page yet. Enter the origin of your product above.</Notice>
    )}
    <Code
      what="code"
      text={`import { mountReferrals } from "tributary-sdk/embed";

mountReferrals(document.querySelector("#referrals"), {
  service: "${location.origin}",
  embedId: "${embedId}",
  fetchToken: async () => (await fetch("/referral-token", { method: "POST" })).json(),
});`}
    />
  </Card>
);

function Tokens({ embed: { tokensEndedAt } }: { readonly embed: Embed }): JSX.Element {
  const [isEnding, setIsEnding] = useState(false);
  return (
    <Card
      title="Tokens"
      lead="A token is valid for an hour. If tokens may have been stolen, end all of them. Open pages then get new ones from your backend."
    >
      {tokensEndedAt !== null && (
        <p class="soft">
          Last ended: <Instant at={tokensEndedAt} />
        </p>
      )}
      <div class="row">
        <Button look="destructive" onClick={() => setIsEnding(true)}>
          End all tokens
        </Button>
      </div>
      {isEnding && <EndTokens onClose={() => setIsEnding(false)} />}
    </Card>
  );
}

function EndTokens({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const { program } = useProgram();
  const end = useAction(
    async () => take(api.programs[":programId"].embed.$put({ param: paramOf(program), json: { endTokens: true } })),
    { failsIn: "form", done: "All tokens were ended.", refreshes: refreshed(program.id), onDone: onClose },
  );
  return (
    <Dialog title="End all tokens?" onClose={onClose}>
      <p>All tokens issued until now stop working. Open pages get a new token from your backend.</p>
      <Form action={end} submit="End all tokens" submitLook="destructive" onCancel={onClose}>
        {null}
      </Form>
    </Dialog>
  );
}
