import { html } from "hono/html";
import { missingCodes, missingFor } from "#domain/explain/missing.ts";

const reasonRow = (code: (typeof missingCodes)[number]) => {
  const { message, remedy } = missingFor(code, {}, "integrator");
  return html`<tr id="reason-${code}"><td><code>${code}</code></td><td>${message}</td><td>${remedy}</td></tr>`;
};

export const guide = (server: string, sdk: string) => html`
<h2 id="start">Start</h2>
<p>A partner's link leads to your site with <code>?aff=&lt;code&gt;</code>. Four calls track a visitor from that click to a
commission. Enter your program's key, the program's id and a partner's code in the first line, then paste all lines into a shell:</p>
<pre tabindex="0">${`TRIBUTARY_API_KEY=svc_… PROGRAM=1 CODE=anna

# A visitor lands: sent by the browser script, or by your backend
CLICK=$(curl -s ${server}/api/v1/track/click -H 'Content-Type: application/json' \\
  -d '{"affiliate_url":"https://shop.example/?aff='$CODE'","program_id":'$PROGRAM'}'); echo "$CLICK"
CLICK=$(echo "$CLICK" | sed 's/.*"click_id":"\\([^"]*\\)".*/\\1/')

# They sign up: use the same customer_key as for their payments
curl -s ${server}/api/v1/track/lead -H "Authorization: Bearer $TRIBUTARY_API_KEY" \\
  -H 'Content-Type: application/json' -d '{"customer_key":"user_17","click_id":"'"$CLICK"'"}'; echo

# They pay: always sent by your backend
curl -s ${server}/api/v1/track/sale -H "Authorization: Bearer $TRIBUTARY_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"transaction_id":"in_1042","amount_cents":4900,"customer_key":"user_17"}'; echo

# You refund a part of it
curl -s ${server}/api/v1/track/refund -H "Authorization: Bearer $TRIBUTARY_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"transaction_id":"in_1042","refund_id":"re_7","refund_amount_cents":900}'; echo`}</pre>
<p>If a call gets no response, send the identical request again. Its <code>event_id</code>, <code>customer_key</code>,
<code>transaction_id</code> or <code>refund_id</code> makes it count only once, however often you send it.
Amounts are integers in the currency's smallest unit: 500 JPY is <code>500</code>, 1.234 KWD is <code>1234</code>.</p>

<h2 id="sdk">SDK</h2>
<p>The <code>tributary-sdk</code> package makes these calls from JavaScript, retries them, and turns the events of Stripe, Paddle,
Lemon Squeezy and Polar into sales and refunds. It is not in the npm registry; install it from this service. npm 12 and later install from a URL only if the project allows it:</p>
<pre tabindex="0">${`echo "allow-remote=root" >> .npmrc
npm install ${sdk}
npx --no-install tributary-sdk verify`}</pre>

<h2 id="authentication">Authentication</h2>
<p>The dashboard shows an API key only once: when an owner creates it with the program or in its settings, or rotates it there. A key
has scopes. Each call below names the scope that it needs: a call by a key without that scope is refused with 403, and
<code>details.needed</code> names the scope. <a href="/docs/guides/keys/">Which key for which system</a>. Send the key in the header <code>Authorization: Bearer &lt;key&gt;</code>, and never from a browser. A lead without
a key is treated as sent by a browser: its click id proves the partner, and the response reveals nothing about the customer.</p>

<h2 id="key-rotation">Key rotation</h2>
<p>After a rotation, the old key keeps working alongside the new one until a deadline. Until then, responses to the old key
have the headers <code>Deprecation</code>, <code>Sunset</code> and <code>Link</code>, and a <code>warnings</code> list with
<code>rotate_by</code>. From the deadline on, the old key is refused with 401 and the code <code>api_key_rotation_required</code>:
<code>{"error":{"code","message","status","hint","docs_url"}}</code>.
<a href="/docs/guides/keys/#replace-a-key-without-downtime">How to replace a key without downtime</a></p>

<h2 id="test-mode">Test mode</h2>
<p>Add <code>"additional_data":{"test_mode":true}</code> to run any tracking call in test mode. Test events run through the
same code but never affect real attribution, commissions or metrics, and most fields are optional. A test key works only in
test mode. <a href="/docs/guides/testing/">How to test an integration</a></p>

<h2 id="errors">Errors</h2>
<p>A refused call records nothing. The response is <code>{"data":null,"error":{"status","name","message","details"}}</code>;
for an invalid body, <code>details.errors</code> lists every error. Show <code>message</code> to people, and handle errors by
<code>status</code>:</p>
<div class="scroll" tabindex="0"><table>
<thead><tr><th>Status</th><th>What to do</th></tr></thead>
<tbody>
<tr><td><code>400</code> <code>413</code> <code>415</code></td><td>Correct the request.</td></tr>
<tr><td><code>401</code></td><td>Correct or replace the key.</td></tr>
<tr><td><code>403</code></td><td>Use https, or a key whose scopes allow the call: see <code>details.code</code> and
<code>details.needed</code>.</td></tr>
<tr><td><code>404</code></td><td>The sale, the partner or the path does not exist.</td></tr>
<tr><td><code>409</code></td><td>A sale was already recorded: <code>details</code> has its current state, and <code>differences</code> names the fields that differ.
Or a partner's code or external id is taken: see <code>details.code</code>.</td></tr>
<tr><td><code>429</code> <code>503</code></td><td>Retry after <code>Retry-After</code> seconds.</td></tr>
<tr><td><code>500</code></td><td>Retry. If the error persists, report the <code>X-Request-Id</code>.</td></tr>
</tbody></table></div>

<h2 id="find-out-why">Find out why</h2>
<p><a href="#explain"><code>GET /api/v1/programs/me/explain</code></a> shows who earned what on a sale and why, or what was missing.
Every decision is explained as it was made: later changes of settings don't affect it.</p>
<pre tabindex="0">${`curl "${server}/api/v1/programs/me/explain?transaction_id=in_1042" -H "Authorization: Bearer $TRIBUTARY_API_KEY"`}</pre>
<p>In a terminal, the SDK's command shows the same:</p>
<pre tabindex="0">npx --no-install tributary-sdk explain --transaction in_1042</pre>
<div class="scroll" tabindex="0"><table>
<thead><tr><th>Reason</th><th>What was missing</th><th>What to do</th></tr></thead>
<tbody>${missingCodes.map(reasonRow)}</tbody></table></div>
<p><a href="/docs/guides/errors/">Every error and reason, with what to do</a></p>

<h2 id="limits">Limits</h2>
<p>Rate limits are per minute. The headers <code>RateLimit-Policy</code> and <code>X-RateLimit-Limit</code> state them. A body can
have at most 64 KiB, <code>additional_data</code> 8 KiB and <code>line_items</code> 16 KiB. Unknown fields are ignored, and
<code>null</code> means the same as an absent field.</p>`;
