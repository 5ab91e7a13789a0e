// Tests the reference MCP servers through Sextant: adds them to mcp-config.json with `sextant mcp-servers add`, calls
// them with `sextant tools call`, kills one of them during a call, and checks every answer.
//
//   node drive.mjs path/to/sextant
//
// The exit code is 1 if an answer was wrong.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { promisify } from "node:util";

const sextant = resolve(process.argv[2]);
const bin = (name) => join(import.meta.dirname, "node_modules/.bin", `mcp-server-${name}`);
const home = await mkdtemp(join(tmpdir(), "sextant-servers-"));
const notes = join(home, "notes");
await mkdir(notes);
await mkdir(join(home, "config"));
await writeFile(join(notes, "plan.md"), "buy a lamp\n");
// Nobody answers approvals here, so the calls run without one.
const LONG = "everything__trigger_long_running_operation";
await writeFile(join(home, "config/config.toml"), `mode = "full"\ntools_allow = "everything/${LONG}"\n`);
const env = { ...process.env, SEXTANT_DATA: join(home, "data"), SEXTANT_CONFIG: join(home, "config"), SEXTANT_KEYCHAIN: "off" };
const run = async (...args) => (await promisify(execFile)(sextant, args, { env, cwd: notes, timeout: 120_000 })).stdout;
const call = (tool, args = {}) => run("tools", "call", "--yes-to", "all", tool, JSON.stringify(args));

async function testCalls() {
  await run("mcp-servers", "add", "everything", bin("everything"), "stdio");
  await run("mcp-servers", "add", "files", bin("filesystem"), notes);
  await run("mcp-servers", "add", "memory", bin("memory"));
  // The sandbox lets it write only where its entry says, not next to its own program.
  const entries = join(home, "config/mcp-config.json");
  const written = JSON.parse(await readFile(entries, "utf8"));
  written.mcpServers.memory.env = { MEMORY_FILE_PATH: join(notes, "memory.jsonl") };
  await writeFile(entries, JSON.stringify(written));
  await run("mcp-servers", "grants", "memory", "--write", notes);
  await run("mcp-servers", "add", "thinking", bin("sequential-thinking"));
  assert.match(await call("everything__echo", { message: "plumb" }), /Echo: plumb/);
  assert.match(await call("everything__get_sum", { a: 2, b: 3 }), /5/);
  assert.match(await call("everything__resources__list", { query: "architecture" }), /demo:\/\/resource\S*architecture\.md/);
  assert.match(await call("everything__resources__read", { uri: "demo://resource/dynamic/text/7" }), /Resource 7/);
  assert.match(await call("files__read_text_file", { path: join(notes, "plan.md") }), /buy a lamp/);
  await call("files__write_file", { path: join(notes, "done.md"), content: "bought\n" });
  assert.equal(await readFile(join(notes, "done.md"), "utf8"), "bought\n");
  await assert.rejects(call("files__read_text_file", { path: "/etc/hostname" }), /denied|outside|not allowed/i);
  await call("memory__create_entities", { entities: [{ name: "Ada", entityType: "person", observations: ["likes lamps"] }] });
  assert.match(await call("memory__search_nodes", { query: "lamps" }), /Ada/, "a second run does not find what the first one stored");
  assert.match(await call("thinking__sequentialthinking", { thought: "one", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 }), /"thoughtHistoryLength": 1/);
}

/** processOf returns the process below root that runs a script with Node, undefined for none. */
async function processOf(script, root) {
  const parents = new Map();
  const running = [];
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number)) {
    const read = (name) => readFile(`/proc/${pid}/${name}`, "utf8").catch(() => "");
    parents.set(pid, Number(/^PPid:\s*(\d+)/m.exec(await read("status"))?.[1] ?? 0));
    const line = (await read("cmdline")).split("\0");
    if (/(^|\/)node$/.test(line[0]) && line[1]?.includes(script)) running.push(pid);
  }
  const below = (pid) => pid > 1 && (pid === root || below(parents.get(pid) ?? 0));
  return running.find(below);
}

async function waitUntil(what, condition, limit = 60_000) {
  const begun = performance.now();
  for (;;) {
    if (await condition()) return performance.now() - begun;
    assert.ok(performance.now() - begun < limit, `${what}: not within ${limit / 1000} s`);
    await new Promise((done) => setTimeout(done, 10));
  }
}

/** testKilledServer kills a server during a call: the call ends with a typed error, its tools disappear and come back, the other servers keep theirs. */
async function testKilledServer() {
  const tokens = join(home, "token.json");
  const serve = spawn(sextant, ["serve", "--token-file", tokens], { env, cwd: notes, stdio: ["ignore", "pipe", "inherit"] });
  try {
    await new Promise((done, failed) => {
      serve.stdout.once("data", done);
      serve.once("exit", (code) => failed(new Error(`sextant serve ended with ${code}`)));
    });
    const { url, token } = JSON.parse(await readFile(tokens, "utf8"));
    const ask = async (method, path, body) =>
      (await fetch(url + path, { method, headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" }, body: body && JSON.stringify(body) })).json();
    const { routes } = JSON.parse(await readFile(new URL("../../shared/navigation/map.json", import.meta.url), "utf8"));
    const server = async (name) => (await ask(...routes.mcp_list.split(" "))).servers.find((one) => one.name === name);
    await waitUntil("everything runs", async () => ((await server("everything"))?.tools ?? []).includes(LONG));
    const before = await processOf("mcp-server-everything", serve.pid);
    assert.ok(before, "the server's process was not found");
    const waiting = ask(...routes.tools_execute.split(" "), { tool: LONG, arguments: { duration: 60, steps: 60 } });
    let answered = 0;
    void waiting.then(() => (answered = performance.now()));
    await new Promise((done) => setTimeout(done, 1500)); // the call is running
    assert.equal(answered, 0, "the call did not wait");
    const at = performance.now();
    process.kill(before, "SIGKILL");
    const removed = await waitUntil("its tools removed", async () => (await server("everything")).tools.length === 0);
    const back = removed + (await waitUntil("its tools back", async () => (await server("everything")).tools.includes(LONG)));
    const answer = await waiting;
    assert.equal(answer.success, false);
    assert.equal(answer.error_type, "system_error");
    assert.match(answer.error, /everything .*whether it took effect is unknown/);
    assert.ok((await server("files")).tools.length > 0, "another server was stopped too");
    const s = (ms) => `${(ms / 1000).toFixed(2)} s`;
    console.log(`killed in a call: answered after ${s(answered - at)} (${answer.error_type}), tools removed after ${s(removed)}, back after ${s(back)}`);
  } finally {
    serve.kill("SIGTERM");
    await new Promise((done) => (serve.exitCode === null && serve.signalCode === null ? serve.once("exit", done) : done()));
  }
}

try {
  await testCalls();
  console.log("server-everything, server-filesystem, server-memory and server-sequential-thinking answered");
  await testKilledServer();
} finally {
  await rm(home, { recursive: true, force: true, maxRetries: 5 });
}
