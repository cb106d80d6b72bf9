(() => {
  const root = document.documentElement, theme = document.getElementById("theme"), all = document.getElementById("all");
  const dark = () => (root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  const name = () => { theme.textContent = dark() ? "Light theme" : "Dark theme"; };
  try { root.dataset.theme = localStorage.getItem("labrig-theme") || ""; } catch { /* private window */ }
  theme.hidden = false; name();
  theme.addEventListener("click", () => {
    root.dataset.theme = dark() ? "light" : "dark"; name();
    try { localStorage.setItem("labrig-theme", root.dataset.theme); } catch { /* private window */ }
  });
  const reveal = () => {
    const target = location.hash && document.getElementById(location.hash.slice(1));
    if (!target) return;
    for (let each = target; each; each = each.parentElement) if (each.tagName === "DETAILS") each.open = true;
    target.scrollIntoView();
  };
  addEventListener("hashchange", reveal); reveal();
  if (!all) return;
  all.hidden = false;
  all.addEventListener("click", () => {
    const open = all.getAttribute("aria-pressed") !== "true";
    document.querySelectorAll("details.record").forEach((each) => { each.open = open; });
    all.setAttribute("aria-pressed", open); all.textContent = open ? "Close all records" : "Open all records";
  });
})();
