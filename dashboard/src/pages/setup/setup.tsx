import "./setup.css";
import type { JSX } from "preact";
import { useReducer } from "preact/hooks";
import { api, take } from "../../api/client.ts";
import { useAction } from "../../api/use-action.ts";
import { Button, ButtonLink } from "../../components/button.tsx";
import { Code, CopyButton } from "../../components/copy.tsx";
import { Notice } from "../../components/notice.tsx";
import { Empty, Loaded, Skeleton } from "../../components/states.tsx";
import { PartnerForm } from "../../forms/partner-form.tsx";
import { PolicyForm } from "../../forms/policy-form.tsx";
import { WebsiteForm } from "../../forms/website-form.tsx";
import { oneTimeKeyOf } from "../../one-time-key.ts";
import { useProgram } from "../../session.tsx";
import { addressWith, programAddress } from "../../url.ts";
import { Checklist, StateBadge } from "./checklist.tsx";
import { Key } from "./key.tsx";
import { type Readiness, useNewestSdk, usePartners, useReadiness } from "./queries.ts";
import { forwardClick, installSdk, leadCall, saleCall, scriptTag } from "./snippets.ts";
import { Step } from "./step.tsx";
import { Verification } from "./verification.tsx";

export default function Setup(): JSX.Element {
  const { isArchived } = useProgram();
  const readiness = useReadiness();
  return (
    <>
      <header class="page-head">
        <h1>Setup</h1>
        {!isArchived && readiness.data && <StateBadge state={readiness.data.state} />}
      </header>
      {isArchived ? (
        <Empty title="Nothing to set up">
          Archived programs don't record anything. Restore the program to continue setup.
        </Empty>
      ) : (
        <Loaded query={readiness} skeleton={<SetupSkeleton />}>
          {(verdict) => (
            <div class="setup">
              <Steps readiness={verdict} />
              <Checklist readiness={verdict} />
            </div>
          )}
        </Loaded>
      )}
    </>
  );
}

const SetupSkeleton = (): JSX.Element => (
  <div class="setup">
    <div class="stack">
      {[2, 5, 4, 3].map((lines) => (
        <div key={lines} class="card">
          <Skeleton lines={lines} />
        </div>
      ))}
    </div>
    <div class="card">
      <Skeleton lines={5} />
    </div>
  </div>
);

const forAdmins = <p class="soft">Ask an owner or admin of the workspace to do this.</p>;

function Steps({ readiness }: { readonly readiness: Readiness }): JSX.Element {
  const { program, may } = useProgram();
  const [, keyChanged] = useReducer((n: number) => n + 1, 0);
  const { profile, economics, payout, tracking, live } = readiness.gates;
  const newKey = oneTimeKeyOf(program.id);
  const isWriter = may("admin");
  return (
    <ol class="stack">
      {readiness.integration_verified && (
        <li>
          <Notice look="good">
            {readiness.state === "live_verified"
              ? "You are live. Real sales are attributed to your partners."
              : "The integration is verified. It goes live with the first real sale from a partner."}
          </Notice>
        </li>
      )}
      <Step title="Your website" isDone={profile.status === "pass"}>
        {profile.status === "pass" ? (
          <p class="soft breakable">{program.websiteUrl}</p>
        ) : isWriter ? (
          <WebsiteForm />
        ) : (
          forAdmins
        )}
      </Step>
      <Step title="What partners earn" isDone={economics.status === "pass"}>
        {economics.status === "pass" ? (
          <p class="soft">Your commission is set. Each sale keeps the commission in effect at the time.</p>
        ) : isWriter ? (
          <PolicyForm />
        ) : (
          forAdmins
        )}
      </Step>
      {payout.status !== "pass" && (
        <Step title="How partners are paid" isDone={false}>
          {isWriter ? <PayoutMode /> : forAdmins}
        </Step>
      )}
      <PartnerStep isWriter={isWriter} />
      <Step title="Your API key" isDone={newKey === undefined}>
        <Key newKey={newKey} onNewKey={() => keyChanged(undefined)} />
      </Step>
      <Step title="Tracking script" isDone={tracking.status === "pass"}>
        <p class="soft">
          Add this to the {"<head>"} of every page visitors can land on. It remembers which partner sent them.
        </p>
        <Code text={scriptTag(program.id)} what="script tag" />
        <TrackingState detail={tracking.detail} />
        <p class="soft">Send the click ID with your sign-up form, in a hidden field:</p>
        <Code text={forwardClick} what="form script" />
      </Step>
      <Step
        title="Report sign-ups and sales"
        isDone={readiness.last_event_at.lead !== null && readiness.last_event_at.sale !== null}
      >
        <p class="soft">From your server, at each sign-up, with the click ID from the form and your own customer ID:</p>
        <Code text={leadCall(newKey)} what="lead call" />
        <p class="soft">At each payment, with the same customer ID. A payment sent twice counts once.</p>
        <Code text={saleCall(newKey, program.currency)} what="sale call" />
        <InstallSdk />
        {program.leadAuth === "browser_allowed" && <ServerOnly />}
      </Step>
      <Step title="Verify the integration" isDone={live.status === "pass"}>
        {isWriter ? <Verification /> : forAdmins}
      </Step>
    </ol>
  );
}

function InstallSdk(): JSX.Element {
  const newest = useNewestSdk();
  return (
    <>
      <p class="soft">In JavaScript, the SDK makes these calls for you, with retries and helpers for Stripe:</p>
      <Loaded query={newest} skeleton={<Skeleton lines={2} />}>
        {(url) => <Code text={installSdk(url)} what="install command" />}
      </Loaded>
    </>
  );
}

function ServerOnly(): JSX.Element {
  const { program } = useProgram();
  return (
    <p class="soft">
      Browsers can also report sign-ups, so your customer IDs must not be guessable. Once your server reports sign-ups,
      set “Accept sign-ups from” to “Server only” in{" "}
      <a href={addressWith(programAddress(program.id, "settings"), { section: "attribution" })}>
        Settings › Attribution
      </a>
      .
    </p>
  );
}

const tracked = {
  receiving_events: "Real clicks are arriving.",
  tracker_installed: "The script was detected through a test click.",
} as const;

const TrackingState = ({ detail }: { readonly detail: Readiness["gates"]["tracking"]["detail"] }): JSX.Element =>
  detail === null ? (
    <Notice look="plain">
      Waiting for the first click. Open your site through a partner's link, and it appears here.
    </Notice>
  ) : (
    <Notice look="good">{tracked[detail]}</Notice>
  );

function PartnerStep({ isWriter }: { readonly isWriter: boolean }): JSX.Element {
  const partners = usePartners();
  const first = partners.data?.at(-1);
  return (
    <Step title="Your first partner" isDone={first !== undefined}>
      <Loaded query={partners} skeleton={<Skeleton lines={2} />}>
        {() => {
          if (first === undefined) return isWriter ? <PartnerForm /> : forAdmins;
          if (first.link === null) return <p class="soft">{first.name} gets a link once you set the website.</p>;
          return (
            <div class="row spread">
              <p>
                {first.name} <span class="soft breakable">{first.link}</span>
              </p>
              <div class="row">
                <CopyButton text={first.link} what="link" />
                <ButtonLink href={first.link}>Open link</ButtonLink>
              </div>
            </div>
          );
        }}
      </Loaded>
    </Step>
  );
}

function PayoutMode(): JSX.Element {
  const { program } = useProgram();
  const set = useAction(
    () =>
      take(
        api.programs[":programId"].$patch({
          param: { programId: String(program.id) },
          json: { payoutMode: "manual" as const },
        }),
      ),
    { done: "Saved.", refreshes: [`program ${program.id} `] },
  );
  return (
    <div class="row">
      <p class="soft">You pay partners yourself, based on their commissions.</p>
      <Button isPending={set.isPending} onClick={() => set.run(undefined)}>
        Pay manually
      </Button>
    </div>
  );
}
