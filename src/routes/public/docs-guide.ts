import { html } from "hono/html";

/** What the endpoints have in common. */
export const guide = (server: string, sdk: string) => html`
<h2 id="start">Start</h2>
<p>A partner's link leads to your site with <code>?aff=&lt;code&gt;</code>. Four calls follow a visitor from there to a commission:</p>
<pre>${`# The visitor lands: from the browser script, or your backend
curl -X POST ${server}/api/v1/track/click -H 'Content-Type: application/json' \\
  -d '{"affiliate_url":"https://shop.example/?aff=anna","program_id":1}'

# They sign up: give them the customer_key that their payments will have
curl -X POST ${server}/api/v1/track/lead -H "Authorization: Bearer $PROGRAM_API_KEY" \\
  -H 'Content-Type: application/json' -d '{"customer_key":"user_17","click_id":"<click_id>"}'

# They pay: always from your backend
curl -X POST ${server}/api/v1/track/sale -H "Authorization: Bearer $PROGRAM_API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"transaction_id":"in_1042","amount_cents":4900,"customer_key":"user_17"}'

# They get their money back
curl -X POST ${server}/api/v1/track/refund -H "Authorization: Bearer $PROGRAM_API_KEY" \\
  -H 'Content-Type: application/json' -d '{"transaction_id":"in_1042","refund_id":"re_7"}'`}</pre>
<p>Whatever goes wrong on the way, send the identical request again. By its <code>event_id</code>,
<code>customer_key</code>, <code>transaction_id</code> or <code>refund_id</code> it counts once, however often it comes.
Amounts are integers in the currency's smallest unit: 500 JPY is <code>500</code>, 1.234 KWD is <code>1234</code>.</p>

<h2 id="sdk">SDK</h2>
<p>The package <code>tributary-sdk</code> makes these calls from JavaScript, retries them, and turns Stripe's events into sales and
refunds. It is not in npm's registry; install it from this service. npm 12 and later install from a URL only if the project allows it:</p>
<pre>${`echo "allow-remote=root" >> .npmrc
npm install ${sdk}
npx --no-install tributary-sdk verify`}</pre>

<h2 id="authentication">Authentication</h2>
<p>The program API key is shown once, when it is made, in the dashboard under the program's settings. It goes into the header
<code>Authorization: Bearer &lt;key&gt;</code>, and nowhere near a browser. A lead without a key is a browser's: its click id
proves the partner, and the answer tells nothing of the customer.</p>

<h2 id="key-rotation">Key rotation</h2>
<p>A new key works beside the old one until the old one's deadline. Until then, answers to the old key carry the headers
<code>Deprecation</code>, <code>Sunset</code> and <code>Link</code>, and a list <code>warnings</code> with
<code>rotate_by</code>. From the deadline on it is refused with 401 and the code <code>api_key_rotation_required</code>:
<code>{"error":{"code","message","status","hint","docs_url"}}</code>.</p>

<h2 id="test-mode">Test mode</h2>
<p>With <code>"additional_data":{"test_mode":true}</code> any tracking call runs in full on the program's test book. Nothing
of it touches real attribution, commissions or figures, and most fields may be left out.</p>

<h2 id="errors">Errors</h2>
<p>A refusal records nothing. It is <code>{"data":null,"error":{"status","name","message","details"}}</code>; a faulty body
lists every fault in <code>details.errors</code>. Show <code>message</code> to people, decide by <code>status</code>:</p>
<div class="scroll"><table>
<thead><tr><th>Status</th><th>What to do</th></tr></thead>
<tbody>
<tr><td><code>400</code> <code>413</code> <code>415</code></td><td>Correct the request.</td></tr>
<tr><td><code>401</code></td><td>Correct or replace the key.</td></tr>
<tr><td><code>403</code></td><td>Use https.</td></tr>
<tr><td><code>404</code></td><td>There is no such sale, or no such path.</td></tr>
<tr><td><code>409</code></td><td>Recorded before. <code>details</code> has what the first call was told, and in <code>differences</code> what this one says otherwise.</td></tr>
<tr><td><code>429</code> <code>503</code></td><td>Send it again after <code>Retry-After</code> seconds.</td></tr>
<tr><td><code>500</code></td><td>Send it again; if it stays, report the <code>X-Request-Id</code>.</td></tr>
</tbody></table></div>

<h2 id="limits">Limits</h2>
<p>Limits are counted a minute, and announced by <code>RateLimit-Policy</code> and <code>X-RateLimit-Limit</code>. A body has at
most 64 KiB, <code>additional_data</code> 8 KiB, <code>line_items</code> 16 KiB. Unknown fields are ignored, and
<code>null</code> is the same as absent.</p>`;
