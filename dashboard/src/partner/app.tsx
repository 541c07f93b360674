import type { JSX } from "preact";
import { LocationProvider, Route, Router } from "preact-iso/router";
import { lazy } from "../components/lazy.tsx";
import { Toasts } from "../components/toast.tsx";
import { OutageBanner } from "../shell/outage-banner.tsx";
import { Plain, PlainSkeleton } from "../shell/plain.tsx";
import { Home } from "./shell/home.tsx";
import { PartnerShell } from "./shell/partner-shell.tsx";

const SignIn = lazy(() => import("../pages/sign-in.tsx"), <PlainSkeleton />);
const SignUp = lazy(() => import("./pages/sign-up.tsx"), <PlainSkeleton />);
const ResetPassword = lazy(() => import("../pages/reset-password.tsx"), <PlainSkeleton />);
const VerifyEmail = lazy(() => import("../pages/verify-email.tsx"), <PlainSkeleton />);
const Join = lazy(() => import("./pages/join/join.tsx"), <PlainSkeleton />);
const Invitation = lazy(() => import("./pages/invitation.tsx"), <PlainSkeleton />);

export const App = (): JSX.Element => (
  <LocationProvider scope="/partner">
    <OutageBanner />
    <Router>
      <Route path="/partner" component={Home} />
      <Route path="/partner/sign-in" component={SignIn} />
      <Route path="/partner/sign-up" component={SignUp} />
      <Route path="/partner/reset-password" component={ResetPassword} />
      <Route path="/partner/verify-email" component={VerifyEmail} />
      <Route path="/partner/invitation" component={Invitation} />
      <Route path="/partner/join/:slug" component={Join} />
      <Route path="/partner/programs/:programId/partners/:partnerId/:page?" component={PartnerShell} />
      <Route default component={NotFound} />
    </Router>
    <Toasts />
  </LocationProvider>
);

const NotFound = (): JSX.Element => (
  <Plain title="Page not found">
    <p class="soft">
      The address may have been mistyped. <a href="/partner/">Go to your programs</a>.
    </p>
  </Plain>
);
