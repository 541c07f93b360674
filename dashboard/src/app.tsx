import type { JSX } from "preact";
import { LocationProvider, Route, Router } from "preact-iso/router";
import { reauthentication } from "./api/reauthentication.ts";
import { useSignal } from "./api/signal.ts";
import { lazy } from "./components/lazy.tsx";
import { Toasts } from "./components/toast.tsx";
import { Home } from "./shell/home.tsx";
import { OutageBanner } from "./shell/outage-banner.tsx";
import { Plain, PlainSkeleton } from "./shell/plain.tsx";
import { ProgramShell } from "./shell/program-shell.tsx";

const SignIn = lazy(() => import("./pages/sign-in.tsx"), <PlainSkeleton />);
const SignUp = lazy(() => import("./pages/sign-up.tsx"), <PlainSkeleton />);
const ResetPassword = lazy(() => import("./pages/reset-password.tsx"), <PlainSkeleton />);
const VerifyEmail = lazy(() => import("./pages/verify-email.tsx"), <PlainSkeleton />);
const Account = lazy(() => import("./pages/account/account.tsx"), <PlainSkeleton />);
const Invitation = lazy(() => import("./pages/invitation.tsx"), <PlainSkeleton />);
const Proposal = lazy(() => import("./pages/proposal/open-proposal.tsx"), <PlainSkeleton />);
const NewWorkspace = lazy(() => import("./pages/new-workspace.tsx"), <PlainSkeleton />);
const Reauthenticate = lazy(() => import("./pages/reauthenticate.tsx"), null);
const NewProgram = lazy(() => import("./pages/new-program.tsx"), <PlainSkeleton />);

export const App = (): JSX.Element => (
  <LocationProvider scope="/app">
    <OutageBanner />
    <Router>
      <Route path="/app" component={Home} />
      <Route path="/app/sign-in" component={SignIn} />
      <Route path="/app/sign-up" component={SignUp} />
      <Route path="/app/reset-password" component={ResetPassword} />
      <Route path="/app/verify-email" component={VerifyEmail} />
      <Route path="/app/account" component={Account} />
      <Route path="/app/invitation" component={Invitation} />
      <Route path="/app/proposal" component={Proposal} />
      <Route path="/app/workspaces/new" component={NewWorkspace} />
      <Route path="/app/workspaces/:workspaceId/programs/new" component={NewProgram} />
      <Route path="/app/programs/:programId/:page?/:item?/:part?" component={ProgramShell} />
      <Route default component={NotFound} />
    </Router>
    <AskAgain />
    <Toasts />
  </LocationProvider>
);

/** Loads the dialog when the user has to confirm their identity for the first time. */
const AskAgain = (): JSX.Element | null => (useSignal(reauthentication) === undefined ? null : <Reauthenticate />);

const NotFound = (): JSX.Element => (
  <Plain title="Page not found">
    <p class="soft">
      The address may have been mistyped. <a href="/app/">Go to your programs</a>.
    </p>
  </Plain>
);
