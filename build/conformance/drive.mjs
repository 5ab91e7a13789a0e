// Drives `sextant mcp` with the MCP clients of other programs: each fills in a form on a local page and sends it, and
// the page's server checks what arrived.
//
//   node drive.mjs path/to/sextant
//
// The clients are both major versions of the TypeScript SDK (1.x speaks 2025-11-25, 2.x 2026-07-28), over stdio and
// over HTTP, and the command line of the MCP inspector. The exit code is 1 if one of them failed.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import http from "node:http";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { promisify } from "node:util";

import { Client as NewClient, StreamableHTTPClientTransport as NewHTTP } from "@modelcontextprotocol/client";
import { StdioClientTransport as NewStdio } from "@modelcontextprotocol/client/stdio";
import { Client as OldClient } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport as OldStdio } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport as OldHTTP } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const sextant = resolve(process.argv[2]);
const inspector = join(dirname(createRequire(import.meta.url).resolve("@modelcontextprotocol/inspector/package.json")), "clients/launcher/build/index.js");

const page = `<!doctype html><title>Visit</title><h1>A visit</h1><form method="post" action="/sent">
<label>Name <input name="name" required></label>
<label>Day <select name="day"><option>Monday</option><option>Friday</option></select></label>
<label><input type="checkbox" name="dog" value="yes"> I bring a dog</label>
<button>Send it</button></form>`;

/** startSite serves the form; arrived() waits for the next submission. */
async function startSite() {
  const sent = [];
  const waiting = [];
  const server = http.createServer((request, response) => {
    response.setHeader("Content-Type", "text/html; charset=utf-8");
    if (request.method !== "POST") return response.end(page);
    let body = "";
    request.on("data", (part) => (body += part));
    request.on("end", () => {
      const form = Object.fromEntries(new URLSearchParams(body));
      const next = waiting.shift();
      if (next) next(form);
      else sent.push(form);
      response.end("<!doctype html><title>Thanks</title><p>It was received.");
    });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return {
    url: `http://127.0.0.1:${server.address().port}/`,
    arrived: () =>
      new Promise((done, failed) => {
        if (sent.length) return done(sent.shift());
        const late = setTimeout(() => {
          waiting.splice(waiting.indexOf(next), 1);
          failed(new Error("no form arrived within 60 s"));
        }, 60_000);
        const next = (form) => {
          clearTimeout(late);
          done(form);
        };
        waiting.push(next);
      }),
    close: () => server.close(),
  };
}

/** startSextant starts a Sextant that other programs connect to. */
async function startSextant(env) {
  const child = spawn(sextant, ["serve", "--allow-hosts", "127.0.0.1"], { env, stdio: ["ignore", "pipe", "inherit"] });
  await new Promise((done, failed) => {
    child.stdout.once("data", done);
    child.once("exit", (code) => failed(new Error(`sextant serve ended with ${code}`)));
  });
  const instance = JSON.parse(await readFile(join(env.SEXTANT_DATA, "instance.json"), "utf8"));
  return {
    ...instance,
    close: () => new Promise((done) => { child.once("exit", done); child.kill("SIGTERM"); }),
  };
}

/** text returns the text of a result, which must not be an error. */
function text(result) {
  const all = result.content.map((part) => part.text ?? "").join("\n");
  assert.ok(!result.isError, all);
  return all;
}

/** elementNumber returns an element's number in a listing. */
function elementNumber(listing, element) {
  const line = listing.split("\n").find((l) => l.includes(element));
  assert.ok(line, `no ${element} in\n${listing}`);
  return Number(line.match(/\[(\d+)\]/)[1]);
}

/** fillForm fills in and sends the form with call(tool, arguments), and returns what the page then showed. */
async function fillForm(call, url, name) {
  const listing = text(await call("navigate_page", { url }));
  await call("type_text", { annotationId: elementNumber(listing, 'textbox "Name"'), text: name }).then(text);
  await call("select_option", { annotationId: elementNumber(listing, 'combobox "Day"'), values: ["Friday"] }).then(text);
  await call("click_element", { annotationId: elementNumber(listing, "I bring a dog") }).then(text);
  return text(await call("click_element", { annotationId: elementNumber(listing, 'button "Send it"') }));
}

/** callTool calls a tool with options, which the two SDK versions take in different positions. */
const callTool = (client, params, options) =>
  client instanceof OldClient ? client.callTool(params, undefined, options) : client.callTool(params, options);

/** checkProtocol checks structured content, progress notifications, and that a cancelled call ends. */
async function checkProtocol(client) {
  const annotate = { name: "annotate_page", arguments: { scope: "page" } };
  const { structuredContent } = await client.callTool(annotate);
  assert.equal(structuredContent?.page?.title, "Thanks");
  let reports = 0;
  text(await callTool(client, { name: "wait_for", arguments: { seconds: 2.5 } }, { onprogress: (p) => (reports += p.progress > 0 ? 1 : 0) }));
  assert.ok(reports > 0, "no progress was reported");
  const stop = new AbortController();
  const long = { name: "wait_for", arguments: { seconds: 120 } };
  await assert.rejects(callTool(client, long, { signal: stop.signal, onprogress: () => stop.abort() }));
  // The tab is free again long before the cancelled call would have ended.
  text(await callTool(client, annotate, { timeout: 30_000 }));
}

const home = await mkdtemp(join(tmpdir(), "sextant-drive-"));
const env = { ...process.env, HOME: home, SEXTANT_DATA: join(home, "data"), SEXTANT_CONFIG: join(home, "config") };
const form = await startSite();
const instance = await startSextant(env);
const head = { requestInit: { headers: { Authorization: `Bearer ${instance.token}` } } };
const stdio = { command: sextant, args: ["mcp"], env, stderr: "ignore" };
const own = { ...stdio, args: ["mcp", "--headless", "--allow-hosts", "127.0.0.1"], env: { ...env, SEXTANT_DATA: join(home, "own") } };
const at = new URL("/mcp", instance.url);
const modern = { versionNegotiation: { mode: "auto" } };

const clients = [
  ["SDK 1.x, joined over stdio", () => new OldClient({ name: "old-stdio", version: "1" }), () => new OldStdio(stdio)],
  ["SDK 1.x, its own Sextant", () => new OldClient({ name: "old-own", version: "1" }), () => new OldStdio(own)],
  ["SDK 1.x over HTTP", () => new OldClient({ name: "old-http", version: "1" }), () => new OldHTTP(at, head)],
  ["SDK 2.x, joined over stdio", () => new NewClient({ name: "new-stdio", version: "1" }, modern), () => new NewStdio(stdio), "2026-07-28"],
  ["SDK 2.x over HTTP", () => new NewClient({ name: "new-http", version: "1" }, modern), () => new NewHTTP(at, head), "2026-07-28"],
];

let bad = 0;
/** runClient runs one client and prints the result. */
async function runClient(name, run) {
  const began = Date.now();
  try {
    await run();
    console.log(`✓ ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
  } catch (error) {
    bad = 1;
    console.log(`✗ ${name}: ${error.stack}`);
  }
}

/** checkReceived checks what was sent to the page's server. */
async function checkReceived(name, shown) {
  assert.deepEqual(await form.arrived(), { name, day: "Friday", dog: "yes" });
  assert.match(shown, /Thanks/);
}

for (const [name, make, transport, revision] of clients) {
  await runClient(name, async () => {
    const client = make();
    await client.connect(transport());
    try {
      if (revision) assert.equal(client.getNegotiatedProtocolVersion(), revision);
      await checkReceived(name, await fillForm((tool, args) => client.callTool({ name: tool, arguments: args }), form.url, name));
      const page = await client.readResource({ uri: "sextant://page/text" });
      assert.match(page.contents[0].text, /It was received/);
      await checkProtocol(client);
    } finally {
      await client.close();
    }
  });
}

await runClient("the inspector's command line", async () => {
  // Each of its calls is a new process, so they share the window's tabs.
  const inspect = async (...args) =>
    JSON.parse((await promisify(execFile)(process.execPath, [inspector, "--cli", sextant, "mcp", "--share", ...args,
      "-e", `SEXTANT_DATA=${env.SEXTANT_DATA}`, "-e", `SEXTANT_CONFIG=${env.SEXTANT_CONFIG}`], { env, maxBuffer: 1 << 24 })).stdout);
  const call = (tool, args) => inspect("--method", "tools/call", "--tool-name", tool,
    ...Object.entries(args).flatMap(([key, value]) => ["--tool-arg", `${key}=${typeof value === "object" ? JSON.stringify(value) : value}`]));
  const { tools } = await inspect("--method", "tools/list", "--strict"); // fails if a schema is not portable
  assert.equal(tools.length, 12);
  await checkReceived("inspector", await fillForm(call, form.url, "inspector"));
  const { resources } = await inspect("--method", "resources/list");
  assert.ok(resources.some((r) => r.uri === "sextant://page/screenshot"));
  const { prompts } = await inspect("--method", "prompts/list");
  assert.ok(prompts.some((p) => p.name === "do_on_page"));
});

await instance.close();
form.close();
await rm(home, { recursive: true, force: true });
process.exit(bad);
