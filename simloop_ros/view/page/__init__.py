"""The page in the browser: scene, controls, plots. Only here viser is imported."""
