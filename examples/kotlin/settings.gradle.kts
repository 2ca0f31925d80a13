rootProject.name = "codes"
