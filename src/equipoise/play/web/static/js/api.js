// Questions to the server; what it refuses is thrown as a sentence.

export async function get(path) {
  return answer(await fetch(path, { headers: { Accept: "application/json" } }));
}
export async function post(path, body = {}) {
  const headers = { "Content-Type": "application/json" };
  return answer(await fetch(path, { method: "POST", headers, body: JSON.stringify(body) }));
}
async function answer(response) {
  const told = await response.json().catch(() => ({}));
  if (!response.ok) throw new Error(told.error || `The server answered ${response.status}.`);
  return told;
}
export function socket(path, { message, closed }) {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const found = new WebSocket(`${scheme}://${location.host}${path}`);
  found.onmessage = (event) => message(JSON.parse(event.data));
  found.onclose = () => closed?.();
  return found;
}
export const strategies = async () => (await get("/api/strategies")).strategies;
export const of = (id) => `/api/strategies/${encodeURIComponent(id)}`;
