// The frame: pages by the address, light and dark.
import { $, fill, h, toast } from "./dom.js";
import { play } from "./play.js";
import { explore } from "./explore.js";
import { watch } from "./watch.js";
import { certificates } from "./certificates.js";

const PAGES = { play, explore, watch, certificates };
let leave = null;

/** The address is #/page/id?key=value. */
export function place() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [page = "", id = ""] = path.split("/").map(decodeURIComponent);
  return { page: PAGES[page] ? page : "play", id, query: new URLSearchParams(query) };
}

async function show() {
  const { page, id, query } = place();
  leave?.();
  leave = null;
  for (const link of document.querySelectorAll("[data-page]")) {
    if (link.dataset.page === page) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  document.title = `${page[0].toUpperCase()}${page.slice(1)} · Equipoise`;
  const view = h("div.stack", { id: `page-${page}` });
  fill($("#view"), view);
  const mine = location.hash;
  try {
    const left = await PAGES[page](view, id, query);
    if (mine === location.hash) leave = left || null;
    else left?.();
  } catch (error) {
    fill(view, h("div.empty", null, h("h1", null, "That did not work"), h("p.quiet", null, error.message), h("a.button", { href: "#/play" }, "Start over")));
  }
}

$("#theme").addEventListener("click", () => {
  const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  document.documentElement.dataset.theme = next;
  try { localStorage.setItem("theme", next); } catch { toast("This browser keeps no settings."); }
});
addEventListener("hashchange", show);
addEventListener("unhandledrejection", (event) => toast(event.reason?.message || "Something went wrong."));
show();
