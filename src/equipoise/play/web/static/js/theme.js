// Before anything is drawn: the colours that were chosen here, or those of the system.
(function () {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const kept = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
  const apply = () => { document.documentElement.dataset.theme = kept() || (system.matches ? "dark" : "light"); };
  system.addEventListener("change", apply);
  apply();
})();
